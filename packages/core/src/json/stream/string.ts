import { skipString, unitLength } from "../string.ts";

const LONGEST_UNIT = 6;

/** The string goes on behind the chunk. */
export const CUT = -1;
/** The string is faulty at `StringReader.fault`. */
export const FAULTY = -2;

/** Reads a string that comes in chunks; escapes and UTF-8 sequences may be cut too. */
export class StringReader {
  /** Where the fault was seen, counted from the first byte of the text, and the byte there. */
  fault: { readonly offset: number; readonly byte: number } = { offset: 0, byte: 0 };
  private readonly unit = new Uint8Array(LONGEST_UNIT);
  private count = 0;
  private unitOffset = 0;

  /** The escape or UTF-8 sequence that the end of the text has cut, by its first byte. */
  get cutUnit(): { readonly offset: number; readonly byte: number } | undefined {
    return this.count === 0 ? undefined : { offset: this.unitOffset, byte: this.unit[0] as number };
  }

  /** A string begins. */
  reset(): void {
    this.count = 0;
  }

  /**
   * Goes on with the string from `from` on.
   * @param base the offset of the chunk's first byte in the text
   * @returns the offset in the chunk behind the closing quote, or {@link CUT}, or {@link FAULTY}
   */
  read(chunk: Uint8Array, from: number, base: number): number {
    let at = from;
    if (this.count > 0) {
      at = this.finishUnit(chunk, from);
      if (at < 0) return at;
    }
    const after = skipString(chunk, at, chunk.length);
    if (after >= 0) return after;
    const fault = ~after;
    if (fault === chunk.length) return CUT;
    const rest = chunk.subarray(fault, fault + LONGEST_UNIT);
    this.unitOffset = base + fault;
    if (rest.length < unitLength(rest, rest.length)) {
      this.unit.set(rest);
      this.count = rest.length;
      return CUT;
    }
    this.fault = { offset: base + fault, byte: chunk[fault] as number };
    return FAULTY;
  }

  /** The offset behind the unit that the end of the last chunk has cut. */
  private finishUnit(chunk: Uint8Array, from: number): number {
    const { unit } = this;
    let at = from;
    while (this.count < unitLength(unit, this.count)) {
      if (at === chunk.length) return CUT;
      unit[this.count++] = chunk[at++] as number;
    }
    // What is left in the unit's storage from another one is not looked at.
    const whole = unit.subarray(0, this.count);
    if (skipString(whole, 0, whole.length) !== ~whole.length) {
      this.fault = { offset: this.unitOffset, byte: unit[0] as number };
      return FAULTY;
    }
    this.count = 0;
    return at;
  }
}
