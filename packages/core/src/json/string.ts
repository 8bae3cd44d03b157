import { BACKSLASH, QUOTE } from "./bytes.ts";
import type { ScanError } from "./range.ts";
import { decodeUtf8 } from "./text.ts";

/** 0 is a plain character, 1 the closing quote, 2 an escape, 3 a control character, 4 not ASCII. */
const KIND = new Uint8Array(256);
KIND.fill(3, 0, 0x20);
KIND.fill(4, 0x80);
KIND[QUOTE] = 1;
KIND[BACKSLASH] = 2;

const HEX = new Uint8Array(256);
for (const digit of "0123456789abcdefABCDEF") HEX[digit.charCodeAt(0)] = 1;

const ESCAPE = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPE[letter.charCodeAt(0)] = 1;

/** Returns the length of the UTF-8 sequence at `at` (RFC 3629, section 4), or 0 if it is malformed. */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] as number;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > end) return 0;
  const second = bytes[at + 1] as number;
  // The second byte shows overlong forms, surrogates and code points beyond U+10FFFF.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = at + 2; i < at + length; i++) {
    if (((bytes[i] as number) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** Returns the length of the escape at `at`, or 0 if it is not in RFC 8259, section 7. */
function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return 0;
  const letter = bytes[at + 1] as number;
  if (ESCAPE[letter] === 1) return 2;
  if (letter !== 0x75 || at + 6 > end) return 0;
  for (let i = at + 2; i < at + 6; i++) if (HEX[bytes[i] as number] !== 1) return 0;
  return 6;
}

/**
 * Reads a string whose opening quote is just before `at`.
 * @returns the offset after the closing quote, or `~offset` of the faulty byte.
 */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const kind = KIND[bytes[i] as number] as number;
    if (kind === 0) {
      i++;
      continue;
    }
    if (kind === 1) return i + 1;
    const length =
      kind === 4 ? sequenceLength(bytes, i, end) : kind === 2 ? escapeLength(bytes, i, end) : 0;
    if (length === 0) return ~i;
    i += length;
  }
  return ~end;
}

/**
 * Reports what is wrong at the offset where {@link skipString} stopped.
 * @param byte the byte there; undefined at the end of the text
 */
export function stringError(byte: number | undefined, offset: number): ScanError {
  if (byte === undefined) {
    return { code: "syntax", message: `The text ends inside a string, at byte ${offset}`, offset };
  }
  if (byte >= 0x80) {
    return {
      code: "encoding",
      message: `A string contains bytes that are not UTF-8, at byte ${offset}`,
      offset,
    };
  }
  const what =
    byte === BACKSLASH
      ? "A string contains a backslash that starts no JSON escape"
      : `A string contains the control character 0x${byte.toString(16).padStart(2, "0")} unescaped`;
  return { code: "syntax", message: `${what}, at byte ${offset}`, offset };
}

/** Returns whether there is a backslash in `[start, end)`. */
export function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) return true;
  return false;
}

/**
 * Returns the value of a string that {@link skipString} accepted; `[start, end)` is the part between its quotes. An
 * escaped lone surrogate stays one.
 */
export function decodeString(bytes: Uint8Array, start: number, end: number): string {
  const text = decodeUtf8(bytes, start, end);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

/** The characters that short escapes represent, by their letter. */
const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((letter) => [
    letter.charCodeAt(0),
    (JSON.parse(`"\\${letter}"`) as string).charCodeAt(0),
  ]),
);

const LONG_ESCAPE = 0x75;

/** Returns the number of bytes of the next unit of a string: an escape, or one byte. */
function unitSize(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH) return 1;
  return bytes[at + 1] === LONG_ESCAPE ? 6 : 2;
}

/** Returns the UTF-16 code unit that an escape represents. */
function escapedUnit(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] as number;
  if (letter !== LONG_ESCAPE) return SHORT_ESCAPES.get(letter) ?? 0;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const digit = bytes[i] as number;
    unit = unit * 16 + (digit & 0xf) + (digit > 0x40 ? 9 : 0);
  }
  return unit;
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/**
 * Reads the character at `at` of a string that {@link skipString} accepted, which may be one escape, or the two of a
 * surrogate pair. A lone surrogate is a character.
 * @returns its code point times 16, plus how many bytes it takes
 */
export function characterAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead === BACKSLASH) {
    const unit = escapedUnit(bytes, at);
    const isLong = isHigh(unit) && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LONG_ESCAPE;
    const low = isLong ? escapedUnit(bytes, at + 6) : 0;
    if (isLow(low)) return (0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff)) * 16 + 12;
    return unit * 16 + unitSize(bytes, at);
  }
  if (lead < 0x80) return lead * 16 + 1;
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let code = lead & (0x7f >> size);
  for (let i = at + 1; i < at + size; i++) code = (code << 6) | ((bytes[i] as number) & 0x3f);
  return code * 16 + size;
}

/**
 * Returns whether two strings that {@link skipString} accepted have the same value: the parts `[a, endA)` and
 * `[b, endB)` between their quotes. Decodes neither.
 */
export function sameStrings(
  bytes: Uint8Array,
  a: number,
  endA: number,
  b: number,
  endB: number,
): boolean {
  let i = a;
  let j = b;
  while (i < endA && j < endB) {
    const byte = bytes[i] as number;
    const other = bytes[j] as number;
    if (byte === other && byte !== BACKSLASH) {
      i++;
      j++;
    } else if (byte !== BACKSLASH && other !== BACKSLASH) {
      return false;
    } else {
      const one = characterAt(bytes, i);
      const two = characterAt(bytes, j);
      if (one >>> 4 !== two >>> 4) return false;
      i += one & 0xf;
      j += two & 0xf;
    }
  }
  return i === endA && j === endB;
}

/**
 * Returns whether a string that {@link skipString} accepted equals a name; `[start, end)` is the part between its
 * quotes.
 */
export function stringEquals(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  let i = start;
  for (let at = 0; at < name.length; at++) {
    if (i >= end) return false;
    const byte = bytes[i] as number;
    if (byte >= 0x80) return decodeString(bytes, start, end) === name;
    const unit = byte === BACKSLASH ? escapedUnit(bytes, i) : byte;
    if (unit !== name.charCodeAt(at)) return false;
    i += unitSize(bytes, i);
  }
  return i === end;
}

/**
 * Returns the first characters of a string that {@link skipString} accepted; `[start, end)` is the part between its
 * quotes. Decodes no more of it.
 * @param most how many, in code points
 * @returns undefined if the string has no more than these
 */
export function decodeStringStart(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
): string | undefined {
  if (end - start <= most) return undefined;
  let at = start;
  for (let i = 0; i < most && at < end; i++) at += characterAt(bytes, at) & 0xf;
  return at < end ? decodeString(bytes, start, at) : undefined;
}

const plain = new Uint8Array(256);

/**
 * Returns the bytes of a string with its escapes decoded, if all of them are ASCII; else undefined. The next call
 * overwrites the result.
 */
export function unescapedBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  if (end - start > plain.length) return undefined;
  let length = 0;
  for (let i = start; i < end; ) {
    const byte = bytes[i] as number;
    const unit = byte === BACKSLASH ? escapedUnit(bytes, i) : byte;
    if (byte === BACKSLASH && unit >= 0x80) return undefined;
    plain[length++] = unit;
    i += unitSize(bytes, i);
  }
  return plain.subarray(0, length);
}
