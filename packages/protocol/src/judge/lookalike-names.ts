import {
  foldText,
  type JsonRange,
  MAX_FOLDED,
  skipLongQuoted,
  skipLongValue,
  skipSpace,
  WORDS_PER_MEMBER,
} from "@touchstone/core/advanced";
import { BACKSLASH, COMMA, OPEN_OBJECT, QUOTE } from "../bytes.ts";
import type { Frame } from "../frame.ts";

/** Names in their original spelling, by the form in which lenient readers compare them. */
export type FoldedNames = ReadonlyMap<string, string>;

/** A member whose name is too long to be compared: readers may take it for any. */
export const LONG_NAME: unique symbol = Symbol("a name that is too long");

export function foldNames(names: readonly string[]): FoldedNames {
  return new Map(names.map((name) => [foldText(name, "member") ?? name, name]));
}

/**
 * Returns the name for which a reader may mistake a key; undefined if there is none. The key must not be too long to be
 * compared.
 */
export function lookalikeName(key: string, names: FoldedNames): string | undefined {
  return isLonger(key, longestOf(names)) ? undefined : names.get(foldText(key, "member") ?? key);
}

const longest = new WeakMap<FoldedNames, number>();

function longestOf(names: FoldedNames): number {
  let most = longest.get(names);
  if (most === undefined) {
    most = Math.max(0, ...[...names.keys()].map(({ length }) => length));
    longest.set(names, most);
  }
  return most;
}

/**
 * Returns whether a key has more characters than a name, without those that folding drops; the others keep their
 * number. This takes a fraction of the time that folding takes.
 */
function isLonger(key: string, most: number): boolean {
  let count = 0;
  for (let i = 0; i < key.length && count <= most; i += 1) {
    const unit = key.charCodeAt(i);
    if (unit !== 0 && unit !== UNDERSCORE) count += 1;
  }
  return count > most;
}

const UNDERSCORE = 0x5f;

/**
 * Returns whether a key may be taken for one of the names, without a text of it: false only if it has more characters
 * than the longest name, or is ASCII. Objects may have tens of thousands of keys.
 */
function mayName(bytes: Uint8Array, start: number, end: number, names: FoldedNames): boolean {
  // A key of more bytes may have too many characters to be compared.
  if (end - start - 2 > MAX_FOLDED) return true;
  const most = longestOf(names);
  let compact = "";
  let isAscii = true;
  for (let i = start + 1; i < end - 1; i += 1) {
    const unit = bytes[i] as number;
    if (unit === BACKSLASH) return true;
    // The first byte of a character counts; it becomes at least one code unit of UTF-16.
    if (unit === UNDERSCORE || (unit & 0xc0) === 0x80) continue;
    if (compact.length === most) return false;
    if (unit >= 0x80) isAscii = false;
    compact += String.fromCharCode(unit);
  }
  const size = end - start - 2;
  // Names with underscores may be compared in their original spelling, so their length counts too.
  const isAsWritten = size !== compact.length && size <= most;
  return !isAscii || isAsWritten || names.has(compact.toLowerCase());
}

/** How many keys are examined in one step. */
const STEP_KEYS = 1_024;
/** No name of `MAX_FOLDED` characters has more bytes: an escaped character has six. */
const MAX_NAME_BYTES = 6 * MAX_FOLDED + 2;

/**
 * Returns the first result of `named` for a key of an object whose value was not located, or {@link LONG_NAME} if a
 * key is too long to be compared, whichever comes first.
 * @param names what keys are compared with
 * @param named returns the name for which a key is mistaken; called only if a reader may mistake the key for one of
 *   `names`
 */
export function* lookalikeSteps(
  frame: Frame,
  { start, end }: JsonRange,
  names: FoldedNames,
  named: (key: string) => string | undefined,
): Generator<void, string | typeof LONG_NAME | undefined, void> {
  const { bytes } = frame;
  if (bytes[start] !== OPEN_OBJECT) return undefined;
  let i = skipSpace(bytes, start + 1, end);
  for (let keys = 1; bytes[i] === QUOTE; keys += 1) {
    if (keys % STEP_KEYS === 0) yield;
    const behind = skipLongQuoted(bytes, i);
    const value = skipSpace(bytes, skipSpace(bytes, behind, end) + 1, end);
    const known = endOfKnown(frame, value);
    if (known === undefined && mayName(bytes, i, behind, names)) {
      const key = keyAt(frame, i, behind);
      if (key === LONG_NAME) return LONG_NAME;
      const name = named(key);
      if (name !== undefined) return name;
    }
    i = skipSpace(bytes, known ?? skipLongValue(bytes, value), end);
    if (bytes[i] !== COMMA) break;
    i = skipSpace(bytes, i + 1, end);
  }
  return undefined;
}

/** Returns the offset after the value that begins here, if it was located, as most are. */
function endOfKnown({ scan }: Frame, value: number): number | undefined {
  const { words } = scan.members;
  for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
    if (words[i + 1] === value) return words[i + 2];
  }
  return undefined;
}

/** Returns the key between these quotes. */
function keyAt(frame: Frame, start: number, end: number): string | typeof LONG_NAME {
  if (end - start > MAX_NAME_BYTES) return LONG_NAME;
  const text = frame.text({ start, end });
  const key = text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  return key.length > MAX_FOLDED ? LONG_NAME : key;
}
