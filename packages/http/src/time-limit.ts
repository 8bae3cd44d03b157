/** The result of work that was abandoned. */
export const TIMED_OUT: unique symbol = Symbol("given up");

/**
 * A time limit for the host's own code, which can be paused. When the time is over, its signal aborts and the caller
 * stops waiting, because a program cannot stop a function that it has called.
 */
export class TimeLimit {
  /** Aborted when the time is over, and when the client leaves. */
  readonly signal: AbortSignal;
  /** Resolves when the time is over, and only then. */
  readonly over: Promise<typeof TIMED_OUT>;
  readonly #controller: AbortController = new AbortController();
  readonly #milliseconds: number;
  #giveUp: (value: typeof TIMED_OUT) => void = () => {};
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
      this.#giveUp(TIMED_OUT);
      const reason = `not done within ${this.#milliseconds} ms`;
      this.#controller.abort(new DOMException(reason, "TimeoutError"));
    }, this.#milliseconds);
  }

  /** Pauses the time until it is resumed. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the time. */
  end(): void {
    this.#ended = true;
    this.pause();
  }
}

/**
 * Runs the host's own code for a limited time.
 * @param milliseconds absent: no limit
 * @param left aborted when the client leaves; this aborts the signal of the work, which is still awaited
 * @returns its result, or {@link TIMED_OUT}
 * @throws its errors within the time
 */
export async function runWithTimeLimit<T>(
  milliseconds: number | undefined,
  left: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T | typeof TIMED_OUT> {
  if (milliseconds === undefined) return work(left);
  const limit = new TimeLimit(milliseconds, left);
  try {
    return await Promise.race([work(limit.signal), limit.over]);
  } finally {
    limit.end();
  }
}
