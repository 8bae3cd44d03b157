import { readFileSync } from "node:fs";

/** State, the first field behind the command's name, is the third of all; the start is the 22nd. */
const START = 22 - 3;

/**
 * When a process started, in clock ticks since the machine did (proc_pid_stat(5), `starttime`): with its id
 * the same for as long as it lives, and another one for a process that gets its id later.
 * @returns digits; undefined where there is no such process, or no way to tell. Never throws.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in brackets, and may hold brackets and spaces itself.
    const start = stat.slice(stat.lastIndexOf(") ") + 2).split(" ")[START];
    return start !== undefined && /^\d{1,20}$/.test(start) ? start : undefined;
  } catch {
    // Not Linux, no such process, or one of another user's that is hidden.
    return undefined;
  }
}
