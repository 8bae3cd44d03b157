import { randomUUID } from "node:crypto";
import { decodeUtf8, encodeUtf8, normaliseNumber, skipQuoted } from "@touchstone/core/advanced";
import { terminalJson } from "../terminal/serialise.ts";

/** Prefix of the strings that replace numbers until they are written. External text cannot contain it. */
const MARK = `touchstone-${randomUUID()}:`;
const QUOTE = 0x22;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isOfNumber = (byte: number): boolean => isDigit(byte) || "+-.eE".includes(charOf(byte));
const charOf = (byte: number): string => String.fromCharCode(byte);

/**
 * Returns the finite double that is nearest to a number: a number out of range is read as infinite, which JSON cannot
 * represent.
 */
const nearest = (value: number): number =>
  Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);

/**
 * Returns a copy of a parsed JSON value in which numbers beyond the range of doubles are replaced by the largest
 * double.
 */
export function clampToDoubles<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, held: unknown) => (typeof held === "number" ? nearest(held) : held)),
  );
}

/** The source texts of numbers, by the double that each is read as. */
type Texts = Map<number, Set<string>>;

/** Returns whether JavaScript would write a number differently from how it was read. */
const isOdd = (text: string): boolean => JSON.stringify(Number(text)) !== text;

/** Returns a JSON text in which marked strings replace the numbers that JavaScript would write differently. */
function marked(source: string): { readonly text: string; readonly texts: Texts } | undefined {
  const bytes = encodeUtf8(source);
  const texts: Texts = new Map();
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = skipQuoted(bytes, at);
    else if (byte === 0x2d || isDigit(byte)) {
      let end = at + 1;
      while (end < bytes.length && isOfNumber(bytes[end] as number)) end += 1;
      const text = decodeUtf8(bytes, at, end);
      const double = nearest(Number(text));
      texts.set(double, (texts.get(double) ?? new Set()).add(text));
      if (isOdd(text)) {
        pieces.push(decodeUtf8(bytes, copied, at), JSON.stringify(MARK + text));
        copied = end;
      }
      at = end;
    } else at += 1;
  }
  if (pieces.length === 0) return undefined;
  return { text: pieces.join("") + decodeUtf8(bytes, copied, bytes.length), texts };
}

/** A double was moved that represents several different numbers, so the right one is unknown. */
export class AmbiguousNumberError extends Error {
  override readonly name: string = "AmbiguousNumberError";
}

/** @throws AmbiguousNumberError */
function markFor(value: number, texts: Texts): number | string {
  const [first, ...others] = texts.get(nearest(value)) ?? [];
  if (first === undefined) return value;
  const wanted = JSON.stringify(normaliseNumber(first));
  if (others.some((text) => JSON.stringify(normaliseNumber(text)) !== wanted)) {
    throw new AmbiguousNumberError([first, ...others].slice(0, 4).join(", "));
  }
  return isOdd(first) ? MARK + first : value;
}

/**
 * Returns a value derived from a JSON text with its numbers as written in that text, whether or not they were moved.
 * Write it with {@link writeExactJson}.
 * @param source the text; if JavaScript would write all of its numbers unchanged, the value is returned as it is
 * @throws AmbiguousNumberError if a number was moved and two different numbers are the same double
 */
export function markExactNumbers(value: unknown, source: string): unknown {
  const found = marked(source);
  if (found === undefined) return value;
  const before: unknown = JSON.parse(found.text);
  // The original value at the place of each object, during the walk.
  const twins = new WeakMap<object, unknown>();
  let isTop = true;
  const text = JSON.stringify(value, function replace(this: object, key: string, held: unknown) {
    const twin = isTop ? before : memberOf(twins.get(this), key);
    isTop = false;
    if (typeof held === "object" && held !== null) twins.set(held, twin);
    if (typeof held !== "number") return held;
    return isTextOf(twin, held) ? twin : markFor(held, found.texts);
  });
  return JSON.parse(text);
}

/** Returns whether the original value at a place (a number or its mark) is this number. */
function isTextOf(twin: unknown, value: number): boolean {
  if (typeof twin !== "string") return twin === value;
  return twin.startsWith(MARK) && nearest(Number(twin.slice(MARK.length))) === nearest(value);
}

function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
    return undefined;
  return (holder as Record<string, unknown>)[key];
}

/** Does the same as {@link terminalJson} on several lines, with marked numbers as they were written. */
export function writeExactJson(value: unknown): string {
  return terminalJson(value, "lines").replaceAll(new RegExp(`"${MARK}([^"]+)"`, "g"), "$1");
}
