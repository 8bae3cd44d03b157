import { concatBytes } from "./concat-bytes.ts";

/** A smaller piece takes noticeably more memory than its bytes. */
const SMALL_BYTES = 1_024;
/** How many small pieces to keep separately. */
const MANY = 64;
/** From this size on, each piece is copied into one buffer as it arrives: joining that much at the end takes long. */
const GATHERED_BYTES = 1_048_576;
/** The buffer is this many times as large as its content. The system provides memory only for what is written. */
const ROOM = 8;
const MOST_ROOM = 268_435_456;

/**
 * Collects the pieces of data that arrives bit by bit. Joins many small pieces into one: otherwise a sender of single
 * bytes could use two hundred times the memory that a limit allows.
 */
export class BytePieces {
  #parts: Uint8Array[] = [];
  #size = 0;
  /** The buffer with everything so far, once that is large; it is then the only part. */
  #place: Uint8Array | undefined;
  /** How many of the last parts are small. */
  #small = 0;

  /** The size so far, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** The content, in as few parts as possible. */
  get parts(): Uint8Array[] {
    return this.#parts;
  }

  push(piece: Uint8Array): void {
    if (this.#size + piece.length >= GATHERED_BYTES && this.#size > 0) {
      this.#gather(piece);
      return;
    }
    this.#parts.push(piece);
    this.#size += piece.length;
    if (piece.length >= SMALL_BYTES) {
      this.#small = 0;
      return;
    }
    this.#small += 1;
    if (this.#small === MANY) this.#join();
  }

  /** Removes and returns the first part. */
  shift(): Uint8Array | undefined {
    const first = this.#parts.shift();
    this.#size -= first?.length ?? 0;
    this.#place = undefined;
    return first;
  }

  /** Removes all of it and returns it as one array. */
  take(): Uint8Array {
    const [first] = this.#parts;
    const whole = first && this.#parts.length === 1 ? first : concatBytes(this.#parts);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#parts = [];
    this.#size = 0;
    this.#small = 0;
    this.#place = undefined;
  }

  #gather(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    let place = this.#place;
    if (place === undefined || place.length < size) {
      place = Buffer.allocUnsafeSlow(Math.min(size * ROOM, size + MOST_ROOM));
      let at = 0;
      for (const part of this.#parts) {
        place.set(part, at);
        at += part.length;
      }
      this.#place = place;
    }
    place.set(piece, this.#size);
    this.#size = size;
    this.#small = 0;
    this.#parts = [place.subarray(0, size)];
  }

  #join(): void {
    const joined = Buffer.concat(this.#parts.splice(-MANY));
    this.#parts.push(joined);
    this.#small = joined.length < SMALL_BYTES ? 1 : 0;
  }
}
