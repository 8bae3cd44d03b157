import { orAfter } from "../util/or-after.ts";

/** Whoever asks at `/readyz` may ask often. */
const FRESH_MS = 1_000;
/** How long it is looked before the response of before holds: a store that is slow is not one that fails. */
const WAIT_MS = 400;

/** Knows of a store that nobody writes to whether it would take records. */
export class StoreLook {
  readonly #look: () => Promise<void>;
  #fails = false;
  #lastSeen = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  /** @param look rejects where the store takes no records */
  constructor(look: () => Promise<void>) {
    this.#look = look;
  }

  /** It was written to: nothing shows better that it can be. */
  wrote(): void {
    this.#seen(false);
  }

  /** Whether it takes records, as far as is known. Never rejects. */
  async passes(): Promise<boolean> {
    if (this.#fails || performance.now() - this.#lastSeen >= FRESH_MS) {
      this.#looking ??= this.#look()
        .then(
          () => this.#seen(false),
          () => this.#seen(true),
        )
        .finally(() => {
          this.#looking = undefined;
        });
      await orAfter(WAIT_MS, this.#looking, () => {});
    }
    return !this.#fails;
  }

  #seen(fails: boolean): void {
    this.#fails = fails;
    this.#lastSeen = performance.now();
  }
}
