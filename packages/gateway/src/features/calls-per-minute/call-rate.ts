const MINUTE_MS = 60_000;

/**
 * The calls of the last minute, at most as many as the limit. The next call is allowed when the oldest is a minute
 * old. Takes 8 bytes per call of the limit.
 */
export class CallRate {
  readonly limit: number;
  readonly #times: Float64Array;
  #next = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.#times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /** Returns how long a call must wait, in milliseconds; 0 if it need not. */
  wait(now: number): number {
    return Math.max(0, (this.#times[this.#next] as number) + MINUTE_MS - now);
  }

  count(now: number): void {
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.limit;
  }
}
