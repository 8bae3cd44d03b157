import { messageOf } from "@touchstone/core/advanced";

/** Parts that are ending, after something else has replaced them. */
export class RetiredParts {
  readonly #left: Set<Promise<void>> = new Set();

  /**
   * Tracks a part until it is gone.
   * @param failed called with why it could not end gracefully
   * @returns resolves when it is gone, gracefully or not; never rejects
   */
  add(ended: Promise<void>, failed: (reason: string) => void): Promise<void> {
    const left = ended
      .catch((error: unknown) => failed(messageOf(error)))
      .finally(() => this.#left.delete(left));
    this.#left.add(left);
    return left;
  }

  /** Resolves when all parts are gone. Never rejects. */
  async gone(): Promise<void> {
    await Promise.all(this.#left);
  }
}
