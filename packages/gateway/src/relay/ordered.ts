/**
 * Runs tasks at once and releases their results in the order in which they were added, so that a
 * message that waits for its record to be durable is not overtaken by the one behind it.
 */
export class OrderedRelease<T> {
  readonly #release: (value: T) => void | Promise<void>;
  #tail: Promise<void> = Promise.resolve();
  #length = 0;

  /** @param release is called with each result in turn, the next one after it has resolved. */
  constructor(release: (value: T) => void | Promise<void>) {
    this.#release = release;
  }

  /** How many results have not been released yet. */
  get length(): number {
    return this.#length;
  }

  /** Adds a result, or the promise of one. Resolves once it has been released. */
  add(value: T | Promise<T>): Promise<void> {
    this.#length += 1;
    const released = this.#tail.then(async () => {
      try {
        await this.#release(await value);
      } finally {
        this.#length -= 1;
      }
    });
    this.#tail = released.catch(() => {});
    return released;
  }

  /** Resolves when everything that was added so far has been released. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}
