import type { ScannerExports } from "./exports.ts";

const aligned = (size: number): number => (size + 7) & ~7;

/** Places the images of schemas in the scanner's memory, one behind the other. */
export class ImageStore {
  private readonly exports: ScannerExports;
  private placed = new WeakMap<Uint8Array, number>();
  private top: number;

  constructor(exports: ScannerExports) {
    this.exports = exports;
    this.top = exports.IMAGES.value;
  }

  /** The address of an image, which is placed on its first use; undefined where it is too large. */
  get(image: Uint8Array): number | undefined {
    return this.placed.get(image) ?? this.place(image);
  }

  private place(image: Uint8Array): number | undefined {
    const { IMAGES, IMAGES_END, memory } = this.exports;
    const size = aligned(image.length);
    if (size > IMAGES_END.value - IMAGES.value) return undefined;
    if (this.top + size > IMAGES_END.value) {
      // All that were placed are forgotten, and come again when they are used.
      this.placed = new WeakMap();
      this.top = IMAGES.value;
    }
    const at = this.top;
    new Uint8Array(memory.buffer, at, image.length).set(image);
    this.top += size;
    this.placed.set(image, at);
    return at;
  }
}
