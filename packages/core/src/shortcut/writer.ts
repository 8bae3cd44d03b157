/** The largest image; this much memory is quickly allocated. */
const MAX_IMAGE_BYTES = 65_536;

/** Thrown if an image would exceed the maximum size. */
export class ImageSizeError extends Error {
  override name = "ImageSizeError";
}

/** A growing byte buffer, with positions given as offsets. Numbers are little-endian. */
export class ImageWriter {
  private bytes = new Uint8Array(1024);
  private view = new DataView(this.bytes.buffer);
  private top = 0;

  /** Allocates this many zero bytes, aligned to eight, and returns their offset. @throws ImageSizeError */
  take(size: number): number {
    const at = this.top;
    const top = at + ((size + 7) & ~7);
    if (top > MAX_IMAGE_BYTES) throw new ImageSizeError();
    if (top > this.bytes.length) {
      const larger = new Uint8Array(Math.max(top, 2 * this.bytes.length));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    this.top = top;
    return at;
  }

  word(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  double(at: number, value: number): void {
    this.view.setFloat64(at, value, true);
  }

  /** Copies bytes to allocated space. */
  copy(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
  }

  /** Allocates space for a text, copies it there, and returns its offset. @throws ImageSizeError */
  text(bytes: Uint8Array): number {
    const at = this.take(bytes.length);
    this.copy(at, bytes);
    return at;
  }

  /** Returns the bytes written. */
  done(): Uint8Array {
    return this.bytes.slice(0, this.top);
  }
}
