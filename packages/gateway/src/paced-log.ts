import type { LogFields, Logger } from "./log.ts";

/** Lines of one kind that are written within a window. Those beyond are counted. */
const MOST = 20;
const WINDOW_MS = 60_000;
const LEAVING_OUT = "more such lines are left out of the log, for a minute at most";

export interface PacedLogOptions {
  /** How many lines of one kind are written within a window (20). */
  readonly most?: number;
  /** Calls back at the end of a window; after a minute by default, which keeps no process alive. */
  readonly later?: (end: () => void) => void;
}

type Level = "error" | "warn";

/** Lines about single messages, of which whoever sends them can make any number. */
export class PacedLog {
  readonly #log: Logger;
  readonly #most: number;
  readonly #later: (end: () => void) => void;
  /** How many there were of each kind in its window. */
  readonly #counts: Map<string, number> = new Map();

  constructor(
    log: Logger,
    { most = MOST, later = (end) => void setTimeout(end, WINDOW_MS).unref() }: PacedLogOptions = {},
  ) {
    this.#log = log;
    this.#most = most;
    this.#later = later;
  }

  /**
   * Writes a line, or counts it where there were too many of its kind. That lines are left out is told at once,
   * and how many at the end of the window.
   * @param kind what lines are counted together by, and called where they are left out. One of few.
   */
  warn(kind: string, message: string, fields?: LogFields): void {
    this.#write("warn", kind, message, fields);
  }

  /** {@link warn}, for what is an error. */
  error(kind: string, message: string, fields?: LogFields): void {
    this.#write("error", kind, message, fields);
  }

  #write(level: Level, kind: string, message: string, fields: LogFields | undefined): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1) this.#later(() => this.#end(level, kind));
    if (count <= this.#most) this.#log[level](message, fields);
    else if (count === this.#most + 1) this.#log[level](`${kind}: ${LEAVING_OUT}`);
  }

  #end(level: Level, kind: string): void {
    const left = (this.#counts.get(kind) ?? 0) - this.#most;
    this.#counts.delete(kind);
    if (left > 0) this.#log[level](`${kind}: such lines were left out of the log`, { left });
  }
}
