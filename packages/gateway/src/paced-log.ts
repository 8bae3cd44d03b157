import type { LogFields, Logger } from "./log.ts";

/** Lines of one kind that are written within a window. Those beyond are counted. */
const MOST = 20;
const WINDOW_MS = 60_000;

export interface PacedLogOptions {
  /** How many lines of one kind are written within a window (20). */
  readonly most?: number;
  /** Calls back at the end of a window; after a minute by default, which keeps no process alive. */
  readonly later?: (end: () => void) => void;
}

/** Warnings about single messages, of which whoever sends them can make any number. */
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
   * Writes a line, or counts it where there were too many of its kind: how many is told at the end of the window.
   * @param kind what lines are counted together by, and called where they are left out. One of few.
   */
  warn(kind: string, message: string, fields?: LogFields): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1) this.#later(() => this.#end(kind));
    if (count <= this.#most) this.#log.warn(message, fields);
  }

  #end(kind: string): void {
    const left = (this.#counts.get(kind) ?? 0) - this.#most;
    this.#counts.delete(kind);
    if (left > 0) this.#log.warn(`${kind}: more such lines were left out of the log`, { left });
  }
}
