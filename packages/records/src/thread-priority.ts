import { getPriority, setPriority } from "node:os";

/** The default of `nice` (POSIX.1-2017, Shell and Utilities), and the maximum. */
const NICENESS = 10;
const MOST = 19;

/**
 * Lowers the thread's priority, so that the relay is preferred on a busy machine: reading, folding, pruning, counting
 * and exporting can wait, a call cannot. Only Linux has priorities per thread; elsewhere nothing is done.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(getPriority() + NICENESS, MOST));
  } catch {
    // Some systems do not allow a process to change it.
  }
}
