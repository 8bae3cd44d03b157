import { BACKSLASH, QUOTE } from "./bytes.ts";
import type { StepCounter } from "./step-work.ts";

/** Of `u`. */
const LETTER_U = 0x75;
const HEX = 16;
/** UTF-8 of U+E000 and of everything after it begins with this byte or a larger one. */
const LARGE = 0xee;
/** The first byte of four, which are two UTF-16 code units. */
const FOUR = 0xf0;
/** The characters that escapes of one letter represent (RFC 8259, section 7). */
const ESCAPED: Readonly<Record<number, number>> = {
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};

/** Returns the code unit that the escape whose backslash is at `at` represents. */
export function escapedUnit(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] as number;
  if (letter !== LETTER_U) return ESCAPED[letter] ?? letter;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i += 1) {
    const digit = bytes[i] as number;
    unit = unit * HEX + (digit > 0x39 ? (digit | 0x20) - 0x57 : digit - 0x30);
  }
  return unit;
}

/** Returns the length of the escape whose backslash is at `at`, in bytes. */
export function escapeLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === LETTER_U ? 6 : 2;
}

/** Reads a JSON string as UTF-16 code units, one at a time. */
class Units {
  readonly #bytes: Uint8Array;
  #at: number;
  /** The second unit of a pair; 0 for none. */
  #low = 0;

  /** @param quote the offset of the opening quote */
  constructor(bytes: Uint8Array, quote: number) {
    this.#bytes = bytes;
    this.#at = quote + 1;
  }

  /** Returns the next unit; -1 at the end. */
  next(): number {
    if (this.#low !== 0) {
      const low = this.#low;
      this.#low = 0;
      return low;
    }
    const bytes = this.#bytes;
    const at = this.#at;
    const byte = bytes[at] as number;
    if (byte === QUOTE) return -1;
    if (byte === BACKSLASH) {
      this.#at = at + escapeLength(bytes, at);
      return escapedUnit(bytes, at);
    }
    if (byte < 0x80) {
      this.#at = at + 1;
      return byte;
    }
    const rest = (i: number): number => (bytes[at + i] as number) & 0x3f;
    if (byte < 0xe0) {
      this.#at = at + 2;
      return ((byte & 0x1f) << 6) | rest(1);
    }
    if (byte < FOUR) {
      this.#at = at + 3;
      return ((byte & 0x0f) << 12) | (rest(1) << 6) | rest(2);
    }
    this.#at = at + 4;
    const beyond = (((byte & 0x07) << 18) | (rest(1) << 12) | (rest(2) << 6) | rest(3)) - 0x10000;
    this.#low = 0xdc00 | (beyond & 0x3ff);
    return 0xd800 | (beyond >> 10);
  }
}

/** How many bytes to compare at once. */
const SHORT = 512;

/**
 * Compares two keys by their UTF-16 code units, if their first bytes decide.
 * @param bytes a JSON text
 * @param one the offset of a key's opening quote
 * @returns less than 0, 0, or more than 0; NaN if {@link compareKeySteps} has to decide
 */
export function compareKeys(bytes: Uint8Array, one: number, other: number): number {
  for (let i = 1; i <= SHORT; i += 1) {
    const a = bytes[one + i] as number;
    const b = bytes[other + i] as number;
    if (a === BACKSLASH || b === BACKSLASH) return Number.NaN;
    // UTF-8 and UTF-16 have the same order, except for characters beyond U+FFFF.
    if (a >= LARGE && b >= LARGE && a !== b) return Number.NaN;
    if (a === b) {
      if (a === QUOTE) return 0;
      continue;
    }
    if (a === QUOTE) return -1;
    return b === QUOTE ? 1 : a - b;
  }
  return Number.NaN;
}

/** Compares any two keys by their UTF-16 code units, in steps (RFC 8785, section 3.2.3). */
export function* compareKeySteps(
  bytes: Uint8Array,
  one: number,
  other: number,
  work: StepCounter,
): Generator<void, number, void> {
  const [a, b] = [new Units(bytes, one), new Units(bytes, other)];
  for (;;) {
    const [unit, against] = [a.next(), b.next()];
    if (unit !== against) return unit - against;
    if (unit === -1) return 0;
    if (work.ends(1)) yield;
  }
}
