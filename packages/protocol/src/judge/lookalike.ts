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

/** Names as they are written, by what {@link folded} makes of them. */
export type Names = ReadonlyMap<string, string>;

/** A long s, the sign for Kelvin and the two i of Turkish, which are another's letter in another case. */
const ODD_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/\u017f/g, "s"],
  [/\u212a/g, "k"],
  [/[\u0130\u0131]/g, "i"],
];

/**
 * Returns a name as the readers see it that tell names apart least: Go's `encoding/json` and .NET look at no case
 * and take some letters for others, some of Go's read over NULs at the end (GHSA-wvj2-96wp-fq3f,
 * GHSA-q382-vc8q-7jhj), and models in Python have each name with underscores as well.
 */
export function folded(name: string): string {
  let text = name.replace(/[\0_]/g, "");
  for (const [letter, other] of ODD_LETTERS) text = text.replace(letter, other);
  return text.toLowerCase();
}

export function namesOf(names: readonly string[]): Names {
  return new Map(names.map((name) => [folded(name), name]));
}

/** That many keys are looked at in one step. */
const STEP_KEYS = 1_024;

/** {@link lookalikeSteps} at once. */
export function lookalike(
  frame: Frame,
  range: JsonRange,
  named: (key: string) => string | undefined,
): string | undefined {
  return takeSteps(lookalikeSteps(frame, range, named));
}

/** The first that `named` gives for a key of an object, of those that were not located. */
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

/** Behind the value that begins here, where it is one that was located; mostly all are. */
function endOfKnown({ scan }: Frame, value: number): number | undefined {
  const { words } = scan.members;
  for (let i = 0; i < words.length; i += MEMBER_WORDS) {
    if (words[i + 1] === value) return words[i + 2];
  }
  return undefined;
}

/** Returns the key whose quotes stand here. */
function keyAt(frame: Frame, start: number, end: number): string {
  const text = frame.text({ start, end });
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}
