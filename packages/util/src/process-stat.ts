import { readFileSync } from "node:fs";

/** What Linux reports about a process. */
export interface ProcessStat {
  /** The id of its parent process. */
  readonly parent: number;
  /** The id of its process group. */
  readonly group: number;
  /**
   * When it started, in clock ticks since boot. Together with the id it identifies the process, even if the id is
   * reused.
   */
  readonly start: string;
}

/** State is the first field after the command's name, and the third of all. */
const STATE = 3 - 3;
const PARENT = 4 - 3;
const GROUP = 5 - 3;
const START = 22 - 3;

/** Returns whether a state, as Linux and `ps` write it, is that of an ended process. */
export function hasEnded(state: string): boolean {
  return state.startsWith("Z") || state.startsWith("X");
}

/**
 * Looks a process up (proc_pid_stat(5)).
 * @returns undefined if there is no such process, if it has ended as a zombie, or if that cannot be determined. Never
 *   throws.
 */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in brackets, and may contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
    const { [STATE]: state = "Z", [START]: start = "" } = fields;
    if (hasEnded(state) || !/^\d{1,20}$/.test(start)) return undefined;
    return { parent: Number(fields[PARENT]), group: Number(fields[GROUP]), start };
  } catch {
    // The system is not Linux, there is no such process, or it is a hidden process of another user.
    return undefined;
  }
}
