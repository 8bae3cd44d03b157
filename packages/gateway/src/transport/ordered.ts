/**
 * Releases results in the order in which they were added, so that a message that waits for its record to be durable
 * is not overtaken by the one behind it. Whoever makes them works at once.
 */
export class OrderedRelease<T> {
  readonly #release: (value: T) => Promise<void>;
  /** Resolves when what was added last is released, or has failed. */
  #last: Promise<void> = Promise.resolve();
  #length = 0;

  /** @param release is called with each result in turn, the next one after it has resolved or failed */
  constructor(release: (value: T) => Promise<void>) {
    this.#release = release;
  }

  /** How many results have not been released yet. */
  get length(): number {
    return this.#length;
  }

  /** Adds the promise of a result. Resolves once that has been released, and rejects if it or its release does. */
  add(value: Promise<T>): Promise<void> {
    this.#length += 1;
    const released = this.#after(this.#last, value);
    this.#last = released.catch(() => {});
    return released;
  }

  /** Resolves when everything that was added so far has been released. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #after(before: Promise<void>, value: Promise<T>): Promise<void> {
    // One that fails meanwhile is waited for below.
    value.catch(() => {});
    try {
      await before;
      await this.#release(await value);
    } finally {
      this.#length -= 1;
    }
  }
}
