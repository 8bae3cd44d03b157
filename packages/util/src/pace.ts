/** How many events to report one by one within a window. */
const MOST = 20;
const WINDOW_MS = 60_000;

export interface PaceOptions {
  /** How many of one kind to report within a window (20). */
  readonly most?: number;
  /** Calls back at the end of a window; default: after a minute, without keeping the process alive. */
  readonly later?: (end: () => void) => void;
}

/**
 * Counts events that anybody can cause any number of times, so that only the first ones are reported one by one.
 */
export class EventPacer {
  /** How many events of one kind are reported within a window. */
  readonly most: number;
  readonly #later: (end: () => void) => void;
  /** The number of events of each kind in the kind's current window. */
  readonly #counts: Map<string, number> = new Map();

  constructor({
    most = MOST,
    later = (end) => void setTimeout(end, WINDOW_MS).unref(),
  }: PaceOptions = {}) {
    this.most = most;
    this.#later = later;
  }

  /** The number of kinds with an open window. */
  get size(): number {
    return this.#counts.size;
  }

  /** Returns whether a kind has an open window, so that an event of it was counted. */
  has(kind: string): boolean {
    return this.#counts.has(kind);
  }

  /**
   * Counts one more event.
   * @param kind events that are counted together; there must be few kinds.
   * @param ended called at the end of the window with how many were beyond {@link most}, if any
   * @returns how many came in this window, including this one
   */
  count(kind: string, ended: (beyond: number) => void): number {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1) this.#later(() => this.#end(kind, ended));
    return count;
  }

  #end(kind: string, ended: (beyond: number) => void): void {
    const beyond = (this.#counts.get(kind) ?? 0) - this.most;
    this.#counts.delete(kind);
    if (beyond > 0) ended(beyond);
  }
}
