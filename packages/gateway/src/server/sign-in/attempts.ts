import { BoundedMap } from "@touchstone/util";

/** The most failed attempts of one address within the window. */
export const MAX_FAILED_ATTEMPTS = 10;
const WINDOW_MS = 60_000;
/** How many addresses to count for; the oldest are dropped first. */
const MAX_ADDRESSES = 1_000;

interface Failed {
  readonly since: number;
  count: number;
}

/**
 * Counts failed attempts to sign in, by address: after ten within a minute, an address must wait until the minute
 * ends.
 */
export class Attempts {
  readonly #now: () => number;
  readonly #failed: BoundedMap<string, Failed> = new BoundedMap(MAX_ADDRESSES);

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns how long an address must wait before its next attempt, in seconds: 0 if it need not. */
  wait(address: string): number {
    const { since, count } = this.#of(address);
    return count < MAX_FAILED_ATTEMPTS ? 0 : Math.ceil((since + WINDOW_MS - this.#now()) / 1_000);
  }

  /** Counts a failed attempt. */
  failed(address: string): void {
    const failed = this.#of(address);
    failed.count += 1;
    this.#failed.set(address, failed);
  }

  #of(address: string): Failed {
    const known = this.#failed.get(address);
    const now = this.#now();
    return known === undefined || now >= known.since + WINDOW_MS ? { since: now, count: 0 } : known;
  }
}
