import { OutlineReader } from "@touchstone/protocol";

/** Both ends of a run of bytes that was too long to keep. */
export interface Ends {
  /** The first bytes. */
  readonly head: Uint8Array;
  /** The last bytes; they overlap the head where both are longer than half of the whole. */
  readonly tail: Uint8Array;
  /** The size of the whole in bytes. */
  readonly size: number;
  /** What an {@link OutlineReader} made of the whole, where one was to read it. */
  readonly outline?: Uint8Array | undefined;
}

/**
 * Keeps copies of the first and of the last bytes of a run that comes in pieces, so that the pieces
 * themselves can go.
 */
export class EndsKeeper {
  readonly #head: Uint8Array;
  /** A ring: the byte at offset n of the run stands at n modulo its length. */
  readonly #ring: Uint8Array;
  readonly #outline: OutlineReader | undefined;
  #size = 0;

  /**
   * @param length how many bytes of each end are kept, at least 1
   * @param outlined whether an outline of the whole is made as well, which takes some 10 ns a byte
   */
  constructor(length: number, outlined = false) {
    this.#outline = outlined ? new OutlineReader() : undefined;
    this.#head = new Uint8Array(length);
    this.#ring = new Uint8Array(length);
  }

  push(part: Uint8Array): void {
    this.#outline?.push(part);
    const { length } = this.#ring;
    if (this.#size < length) this.#head.set(part.subarray(0, length - this.#size), this.#size);
    const last = part.subarray(Math.max(0, part.length - length));
    const at = (this.#size + part.length - last.length) % length;
    const before = last.subarray(0, length - at);
    this.#ring.set(before, at);
    this.#ring.set(last.subarray(before.length), 0);
    this.#size += part.length;
  }

  /** The ends so far, in arrays of their own. */
  take(): Ends {
    const { length } = this.#ring;
    const size = this.#size;
    const head = new Uint8Array(this.#head.subarray(0, size));
    const outlined = this.#outline && { outline: this.#outline.take() };
    if (size <= length) return { head, tail: head, size, ...outlined };
    const tail = new Uint8Array(length);
    const seam = size % length;
    tail.set(this.#ring.subarray(seam), 0);
    tail.set(this.#ring.subarray(0, seam), length - seam);
    return { head, tail, size, ...outlined };
  }
}
