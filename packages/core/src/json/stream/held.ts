const INITIAL = 64;
/** Storage beyond this is given back. */
const KEPT = 65_536;

/** The bytes of a token that is cut by the end of a chunk. */
export class HeldBytes {
  length = 0;
  private storage = new Uint8Array(INITIAL);

  append(bytes: Uint8Array, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.storage.length) {
      const larger = new Uint8Array(Math.max(length, this.storage.length * 2));
      larger.set(this.bytes());
      this.storage = larger;
    }
    this.storage.set(bytes.subarray(start, end), this.length);
    this.length = length;
  }

  /** What is held, until the next {@link append} or {@link clear}. */
  bytes(): Uint8Array {
    return this.storage.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.storage.length > KEPT) this.storage = new Uint8Array(INITIAL);
  }
}
