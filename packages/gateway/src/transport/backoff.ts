const FIRST_MS = 500;
const MAX_MS = 30_000;
/** A server that ran for this long has recovered. */
const STABLE_MS = 60_000;

/** How long a server that crashed is left alone before it is started again: longer each time. */
export class Backoff {
  readonly #now: () => number;
  #waitMs = 0;
  #notBefore = 0;
  #startedAt = 0;

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Seconds until it may be started, rounded up; 0 or less where it may be now. */
  get seconds(): number {
    return Math.ceil((this.#notBefore - this.#now()) / 1000);
  }

  /** Why it may not be started now; undefined where it may. */
  get refusal(): string | undefined {
    const { seconds } = this;
    return seconds > 0
      ? `the server crashed and is started again in ${seconds} s at the earliest`
      : undefined;
  }

  started(): void {
    this.#startedAt = this.#now();
  }

  ended(): void {
    const stable = this.#now() - this.#startedAt > STABLE_MS;
    this.#waitMs = stable ? FIRST_MS : Math.min(MAX_MS, this.#waitMs * 2 || FIRST_MS);
    this.#notBefore = this.#now() + this.#waitMs;
  }
}
