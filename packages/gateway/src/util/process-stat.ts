import { readFileSync } from "node:fs";

/** What Linux reports a process. */
export interface ProcessStat {
  /** The id of the process that has started it, or has taken it over. */
  readonly parent: number;
  /**
   * When it started, in clock ticks since the machine did: with its id the same for as long as it lives,
   * and another one for a process that gets its id later.
   */
  readonly start: string;
}

/** State, the first field after the command's name, is the third of all. */
const STATE = 3 - 3;
const PARENT = 4 - 3;
const START = 22 - 3;

/** Returns whether a state, as Linux and `ps` tell it, is that of a process that has ended. */
export function hasEnded(state: string): boolean {
  return state.startsWith("Z") || state.startsWith("X");
}

/**
 * Looks a process up (proc_pid_stat(5)).
 * @returns undefined if there is no such process, it has ended and only its parent has not asked how
 *   (a zombie), or there is no way to tell. Never throws.
 */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in brackets, and may hold brackets and spaces itself.
    const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
    const { [STATE]: state = "Z", [PARENT]: parent, [START]: start = "" } = fields;
    if (hasEnded(state) || !/^\d{1,20}$/.test(start)) return undefined;
    return { parent: Number(parent), start };
  } catch {
    // Not Linux, no such process, or one of another user's that is hidden.
    return undefined;
  }
}
