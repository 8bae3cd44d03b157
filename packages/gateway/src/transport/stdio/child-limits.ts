const FIRST_MS = 500;
const MAX_MS = 30_000;
/** After this time without a crash, a server has recovered. */
const STABLE_MS = 60_000;

/** How long to wait before restarting a server that crashed: longer each time. */
export class Backoff {
  readonly #now: () => number;
  #waitMs = 0;
  #notBefore = 0;
  #startedAt = 0;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the seconds until it may be started, rounded up; 0 or less if it may start now. */
  get seconds(): number {
    return Math.ceil((this.#notBefore - this.#now()) / 1000);
  }

  /** Why it may not be started now; undefined if it may. */
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

/** A child process that is idle for this long is ended, in milliseconds. */
export const IDLE_MS: number = 30 * 60_000;
/** How often that is checked. */
export const SWEEP_MS = 60_000;

/** Limits the child processes of a whole gateway. */
export class ChildSlots {
  /** May change at any time; running processes stay. */
  limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Returns why there is no room for another process; undefined if there is. */
  get full(): string | undefined {
    if (this.#taken < this.limit) return undefined;
    return `the limit of ${this.limit} child processes is reached (limits.children); try again when a session has ended`;
  }

  /** Takes a place until `ended` resolves. */
  take(ended: Promise<unknown>): void {
    this.#taken += 1;
    const free = (): void => {
      this.#taken -= 1;
    };
    ended.then(free, free);
  }
}
