const FIRST_BYTES = 1_024;
const PART = 4_096;

/** A buffer to which bytes are appended. */
export class ByteBuffer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(this.#length + 1);
    this.#bytes[this.#length++] = byte;
  }

  append(bytes: Uint8Array): void {
    this.#grow(this.#length + bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Drops everything after the first `length` bytes. */
  cut(length: number): void {
    this.#length = Math.min(length, this.#length);
  }

  /** Returns everything after the first `start` bytes, one character per byte. */
  textFrom(start: number): string {
    let text = "";
    // Converts in parts, because a function call accepts a limited number of arguments.
    for (let i = start; i < this.#length; i += PART) {
      const end = Math.min(i + PART, this.#length);
      text += String.fromCharCode(...this.#bytes.subarray(i, end));
    }
    return text;
  }

  /** Returns a copy of the bytes written so far. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(least: number): void {
    if (least <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(least, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
