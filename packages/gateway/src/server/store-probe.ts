import { valueOrTimeout } from "@touchstone/util";

/** Probes of `/readyz` may be frequent. */
const FRESH_MS = 1_000;
/** How long to wait for a check before the previous result is used: a slow store is not a failed one. */
const WAIT_MS = 400;

/** Knows whether a store would accept records, even if no records are written. */
export class StoreProbe {
  readonly #look: () => Promise<void>;
  #fails = false;
  #lastSeen = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** How many writes have succeeded. */
  #writes = 0;

  /** @param look rejects if the store accepts no records */
  constructor(look: () => Promise<void>) {
    this.#look = look;
  }

  /** A successful write is the best check. */
  wrote(): void {
    this.#writes += 1;
    this.#seen(false);
  }

  /** Returns whether the store accepts records, according to the last check. Never rejects. */
  async passes(): Promise<boolean> {
    if (this.#fails || performance.now() - this.#lastSeen >= FRESH_MS) {
      this.#looking ??= this.#check().finally(() => {
        this.#looking = undefined;
      });
      await valueOrTimeout(WAIT_MS, this.#looking, () => {});
    }
    return !this.#fails;
  }

  async #check(): Promise<void> {
    const writes = this.#writes;
    try {
      await this.#look();
      this.#seen(false);
    } catch {
      // A write that succeeded in the meantime is newer than the failed check.
      if (this.#writes === writes) this.#seen(true);
    }
  }

  #seen(fails: boolean): void {
    this.#fails = fails;
    this.#lastSeen = performance.now();
  }
}
