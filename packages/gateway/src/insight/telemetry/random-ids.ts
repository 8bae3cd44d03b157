import { randomFillSync } from "node:crypto";

const POOL_BYTES = 8_192;

/** Ids from one pool: a call for each would take longer than all else of a span. */
export class RandomIds {
  readonly #pool: Buffer = Buffer.allocUnsafeSlow(POOL_BYTES);
  #at: number = POOL_BYTES;

  get pool(): Buffer {
    return this.#pool;
  }

  /** @returns where in the pool so many random bytes begin that are not all zero */
  next(bytes: number): number {
    for (;;) {
      if (this.#at + bytes > POOL_BYTES) {
        randomFillSync(this.#pool);
        this.#at = 0;
      }
      const start = this.#at;
      this.#at += bytes;
      for (let i = start; i < this.#at; i += 1) if (this.#pool[i] !== 0) return start;
    }
  }
}
