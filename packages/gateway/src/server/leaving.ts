import { messageOf } from "@touchstone/core";

/** What is on its way out, while something else has taken its place. */
export class Leaving {
  readonly #left: Set<Promise<void>> = new Set();

  /**
   * Notes it until it is gone.
   * @param failed told why it could not be ended in order
   * @returns resolves when it is gone, in order or not; never rejects
   */
  add(ended: Promise<void>, failed: (reason: string) => void): Promise<void> {
    const left = ended
      .catch((error: unknown) => failed(messageOf(error)))
      .finally(() => this.#left.delete(left));
    this.#left.add(left);
    return left;
  }

  /** Resolves when all of it is gone. Never rejects. */
  async gone(): Promise<void> {
    await Promise.all(this.#left);
  }
}
