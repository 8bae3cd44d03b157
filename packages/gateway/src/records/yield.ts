import { setPriority } from "node:os";

/** As nice as a background task is by `nice` (POSIX.1-2017, Shell and Utilities). */
const NICENESS = 10;

/**
 * Lets the relay go first on a busy machine: what this thread reads, folds or prunes can wait, a call
 * cannot. Only on Linux is a priority a thread's own; elsewhere nothing is done.
 */
export function yieldToRelay(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(NICENESS);
  } catch {
    // Not everywhere may a process change it.
  }
}
