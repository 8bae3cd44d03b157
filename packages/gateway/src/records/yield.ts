import { getPriority, setPriority } from "node:os";

/** What `nice` adds by default (POSIX.1-2017, Shell and Utilities), and the most that there is. */
const NICENESS = 10;
const MOST = 19;

/**
 * Lets the relay go first on a busy machine: what this thread reads, folds, prunes, counts or exports can
 * wait, a call cannot. Only on Linux is a priority a thread's own; elsewhere nothing is done.
 */
export function yieldToRelay(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(getPriority() + NICENESS, MOST));
  } catch {
    // Not everywhere may a process change it.
  }
}
