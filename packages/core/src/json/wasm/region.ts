const aligned = (size: number): number => (size + 7) & ~7;

/** Places in a stretch of the scanner's memory, one behind the other. */
export class Region {
  private readonly from: number;
  private readonly end: number;
  private readonly forget: () => void;
  private top: number;

  /** @param forget told that all places are given up, since there was no room for another one */
  constructor(from: number, end: number, forget: () => void) {
    this.from = from;
    this.end = end;
    this.forget = forget;
    this.top = from;
  }

  /** The address of so many bytes, a multiple of eight; undefined where there never is room for them. */
  take(size: number): number | undefined {
    const needed = aligned(size);
    if (needed > this.end - this.from) return undefined;
    if (this.top + needed > this.end) {
      this.forget();
      this.top = this.from;
    }
    const at = this.top;
    this.top += needed;
    return at;
  }
}
