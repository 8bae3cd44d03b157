import type { ScannerExports } from "./exports.ts";
import { Region } from "./region.ts";

/** Places the images of schemas in the scanner's memory. */
export class ImageStore {
  private readonly exports: ScannerExports;
  private readonly region: Region;
  private placed = new WeakMap<Uint8Array, number>();

  constructor(exports: ScannerExports) {
    this.exports = exports;
    this.region = new Region(exports.IMAGES.value, exports.IMAGES_END.value, () => {
      // They come again when they are used.
      this.placed = new WeakMap();
    });
  }

  /** The address of an image, which is placed on its first use; undefined where it is too large. */
  get(image: Uint8Array): number | undefined {
    return this.placed.get(image) ?? this.place(image);
  }

  private place(image: Uint8Array): number | undefined {
    const at = this.region.take(image.length);
    if (at === undefined) return undefined;
    new Uint8Array(this.exports.memory.buffer, at, image.length).set(image);
    this.placed.set(image, at);
    return at;
  }
}
