import {
  type JsonRange,
  MEMBER_WORDS,
  skipLongValue,
  skipQuoted,
  skipSpace,
  takeSteps,
} from "@touchstone/core";
import { COMMA, OPEN_OBJECT, QUOTE } from "../bytes.ts";
import type { Frame } from "../frame.ts";

/** Names as they are written, by their {@link folded} form. */
export type Names = ReadonlyMap<string, string>;

/** The long s, the Kelvin sign and the two Turkish i: changing case turns each into another letter. */
const ODD_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/\u017f/g, "s"],
  [/\u212a/g, "k"],
  [/[\u0130\u0131]/g, "i"],
];

/**
 * Returns a name as the least discriminating readers see it. Go's `encoding/json` and .NET ignore case and equate
 * some letters, some Go readers ignore NULs at the end (GHSA-wvj2-96wp-fq3f, GHSA-q382-vc8q-7jhj), and Python models
 * also accept each name with underscores.
 */
export function folded(name: string): string {
  let text = name.replace(/[\0_]/g, "");
  for (const [letter, other] of ODD_LETTERS) text = text.replace(letter, other);
  return text.toLowerCase();
}

export function namesOf(names: readonly string[]): Names {
  return new Map(names.map((name) => [folded(name), name]));
}

/** How many keys are examined in one step. */
const STEP_KEYS = 1_024;

/** Runs {@link lookalikeSteps} in one go. */
export function lookalike(
  frame: Frame,
  range: JsonRange,
  named: (key: string) => string | undefined,
): string | undefined {
  return takeSteps(lookalikeSteps(frame, range, named));
}

/** Returns the first result of `named` for a key of an object whose value was not located. */
export function* lookalikeSteps(
  frame: Frame,
  { start, end }: JsonRange,
  named: (key: string) => string | undefined,
): Generator<void, string | undefined, void> {
  const { bytes } = frame;
  if (bytes[start] !== OPEN_OBJECT) return undefined;
  let i = skipSpace(bytes, start + 1, end);
  for (let keys = 1; bytes[i] === QUOTE; keys += 1) {
    if (keys % STEP_KEYS === 0) yield;
    const behind = skipQuoted(bytes, i);
    const value = skipSpace(bytes, skipSpace(bytes, behind, end) + 1, end);
    const known = endOfKnown(frame, value);
    const name = known === undefined ? named(keyAt(frame, i, behind)) : undefined;
    if (name !== undefined) return name;
    i = skipSpace(bytes, known ?? skipLongValue(bytes, value), end);
    if (bytes[i] !== COMMA) break;
    i = skipSpace(bytes, i + 1, end);
  }
  return undefined;
}

/** Returns the offset after the value that begins here, if it was located, as most are. */
function endOfKnown({ scan }: Frame, value: number): number | undefined {
  const { words } = scan.members;
  for (let i = 0; i < words.length; i += MEMBER_WORDS) {
    if (words[i + 1] === value) return words[i + 2];
  }
  return undefined;
}

/** Returns the key between these quotes. */
function keyAt(frame: Frame, start: number, end: number): string {
  const text = frame.text({ start, end });
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}
