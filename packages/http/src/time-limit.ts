/** What stands for the outcome of work that was given up. */
export const GIVEN_UP: unique symbol = Symbol("given up");

/**
 * A limit on how long the host's own code may take, which can be held up. When it is over its signal aborts,
 * and nobody waits any more: a program cannot end what it has called.
 */
export class TimeLimit {
  /** Aborted when the time is over, and when the client leaves. */
  readonly signal: AbortSignal;
  /** Resolves when the time is over; never before, and not at all if it is not. */
  readonly over: Promise<typeof GIVEN_UP>;
  readonly #controller: AbortController = new AbortController();
  readonly #milliseconds: number;
  #giveUp: (value: typeof GIVEN_UP) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(milliseconds: number, left: AbortSignal) {
    this.#milliseconds = milliseconds;
    this.signal = AbortSignal.any([left, this.#controller.signal]);
    this.over = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
    this.resume();
  }

  get isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Counts the time from its beginning. */
  resume(): void {
    this.pause();
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#giveUp(GIVEN_UP);
      const reason = `not done within ${this.#milliseconds} ms`;
      this.#controller.abort(new DOMException(reason, "TimeoutError"));
    }, this.#milliseconds);
  }

  /** Counts no time until it is resumed. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Counts no time any more. */
  end(): void {
    this.#ended = true;
    this.pause();
  }
}

/**
 * Runs the host's own code for some time at the most.
 * @param milliseconds no limit where absent
 * @param left aborted when the client leaves, which the work is told about, and waited for
 * @returns what it gives, or {@link GIVEN_UP}
 * @throws what it throws in time
 */
export async function inTime<T>(
  milliseconds: number | undefined,
  left: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T | typeof GIVEN_UP> {
  if (milliseconds === undefined) return work(left);
  const limit = new TimeLimit(milliseconds, left);
  try {
    return await Promise.race([work(limit.signal), limit.over]);
  } finally {
    limit.end();
  }
}
