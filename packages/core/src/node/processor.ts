/// <reference types="node" />

// Not imported, as in deadline.ts.
const { openSync, readSync } = process.getBuiltinModule("node:fs");

/** What Linux tells of a thread: nanoseconds that it has had of a processor, and more. */
const THREAD_FILE = "/proc/thread-self/schedstat";

type Clock = () => number;

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
const ofAllThreads: Clock = () => milliseconds(process.cpuUsage());

/** By Node itself; 20 cannot tell. */
function nodeClock(): Clock | undefined {
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage };
  return threadCpuUsage && (() => milliseconds(threadCpuUsage.call(process)));
}

/** By a file that stays open for as long as the thread runs. */
function fileClock(): Clock | undefined {
  try {
    const file = openSync(THREAD_FILE, "r");
    const bytes = Buffer.alloc(64);
    const clock = (): number => {
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return Number.parseInt(bytes.toString("latin1", 0, length), 10) / 1e6;
    };
    // Zero where the kernel keeps no account.
    return clock() > 0 ? clock : undefined;
  } catch {
    return undefined;
  }
}

let ofThread: Clock | null | undefined;

/**
 * Milliseconds that this thread has had of a processor. Where that is not told (Node 20 elsewhere than on
 * Linux), of all threads of the process: compiler, collector and workers count as well then.
 */
export function processorTime(): number {
  ofThread ??= nodeClock() ?? fileClock() ?? null;
  // Asking for all threads makes Linux bring the account of the one that runs up to date; else that is as old as
  // the last tick, up to 10 ms.
  const ofAll = ofAllThreads();
  return ofThread === null ? ofAll : ofThread();
}
