import { concatBytes } from "./concat-bytes.ts";

/** To keep a smaller piece costs more than its bytes. */
const SMALL_BYTES = 1_024;
/** So many small pieces are kept one by one. */
const MANY = 64;

/**
 * The pieces of what comes bit by bit, until it is whole. Many small ones are joined: else whoever sends it byte
 * by byte has it take two hundred times the memory that a limit allows.
 */
export class Pieces {
  #parts: Uint8Array[] = [];
  #size = 0;
  /** How many of the last parts are small. */
  #small = 0;

  /** How much there is, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** What there is, in the fewest parts that it has been kept in. */
  get parts(): Uint8Array[] {
    return this.#parts;
  }

  push(piece: Uint8Array): void {
    this.#parts.push(piece);
    this.#size += piece.length;
    if (piece.length >= SMALL_BYTES) {
      this.#small = 0;
      return;
    }
    this.#small += 1;
    if (this.#small === MANY) this.#join();
  }

  /** Removes the first part and gives it. */
  shift(): Uint8Array | undefined {
    const first = this.#parts.shift();
    this.#size -= first?.length ?? 0;
    return first;
  }

  /** Removes all of it and gives it as one. */
  take(): Uint8Array {
    const whole = concatBytes(this.#parts);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#parts = [];
    this.#size = 0;
    this.#small = 0;
  }

  #join(): void {
    const joined = Buffer.concat(this.#parts.splice(-MANY));
    this.#parts.push(joined);
    this.#small = joined.length < SMALL_BYTES ? 1 : 0;
  }
}
