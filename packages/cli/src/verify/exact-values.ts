import { encodeUtf8, isObject, locatePointers } from "@touchstone/core/advanced";
import { comparableText, matchesRedacted, valuesOf } from "@touchstone/gateway/recordings";
import { REDACTED } from "@touchstone/util";
import { jsonIn } from "./outcome.ts";

/** How many values of a result are compared. */
const MAX_VALUES = 100_000;
const WHOLE = JSON.stringify(REDACTED);

/** A value that is not as it was; undefined if there is none on that side. */
export interface ValueDifference {
  readonly path: string;
  readonly was: string | undefined;
  readonly now: string | undefined;
}

/** The values of a result that have to be as they were, by their pointers. */
export type ExactValues = ReadonlyMap<string, string>;

/**
 * Returns the values of a result at some places, and below them. JSON in a text counts as values.
 * @param text the result as JSON
 * @param paths pointers in which `*` stands for any name or index
 */
export function exactValues(text: string, value: unknown, paths: readonly string[]): ExactValues {
  const bytes = encodeUtf8(text);
  const patterns = paths.map((path) => path.split("/"));
  const found = new Map<string, string>();
  const texts = jsonTexts(value);
  const add = (place: string, json: Uint8Array): void => {
    for (const [inside, one] of valuesOf(comparableText(json), MAX_VALUES)) {
      const tokens = `${place}${inside}`.split("/");
      const isAsked = patterns.some((pattern) => isBelow(tokens, pattern));
      if (isAsked && !texts.has(`${place}${inside}`)) found.set(`${place}${inside}`, one);
    }
  };
  // Only what is asked for is read: results may be large.
  for (const [place, { found: isThere, value: range }] of locatePointers(
    bytes,
    paths.map(fixedPart),
  )) {
    if (isThere) add(place, bytes.subarray(range.start, range.end));
  }
  for (const [place, json] of texts) {
    const tokens = place.split("/");
    const mayBeAsked = patterns.some((pattern) => isBelow(tokens, pattern.slice(0, tokens.length)));
    if (mayBeAsked) add(place, encodeUtf8(json));
  }
  return found;
}

/** Returns whether a place is the one that a pattern names, or below it. */
function isBelow(tokens: readonly string[], pattern: readonly string[]): boolean {
  if (tokens.length < pattern.length) return false;
  return pattern.every((token, at) => token === "*" || token === tokens[at]);
}

/** Returns the part of a pattern before its first `*`. */
function fixedPart(path: string): string {
  const tokens = path.split("/");
  const first = tokens.indexOf("*");
  return (first < 0 ? tokens : tokens.slice(0, first)).join("/");
}

/** Returns the text blocks that have JSON, by their pointers. */
function jsonTexts(result: unknown): ReadonlyMap<string, string> {
  const content = isObject(result) ? result["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = new Map<string, string>();
  for (const [index, block] of blocks.entries()) {
    const text = isObject(block) ? block["text"] : undefined;
    if (typeof text !== "string" || jsonIn(text) === undefined) continue;
    texts.set(`/content/${index}/text`, text);
  }
  return texts;
}

/**
 * Returns the values that differ from each of the recorded ones. A removed secret matches anything. What differs
 * between results that were recorded for the same request is left out.
 */
export function valueDifferences(
  recorded: readonly ExactValues[],
  now: ExactValues,
): readonly ValueDifference[] {
  const [first = new Map<string, string>(), ...others] = recorded;
  const removed = recorded.flatMap((values) =>
    [...values].flatMap(([path, value]) => (value === WHOLE ? [`${path}/`] : [])),
  );
  const paths = new Set([...first.keys(), ...now.keys()]);
  return [...paths].flatMap((path) => {
    const [was, is] = [first.get(path), now.get(path)];
    if (was === is || others.some((values) => values.get(path) !== was)) return [];
    if (removed.some((start) => `${path}/`.startsWith(start))) return [];
    if (was !== undefined && is !== undefined && was.includes(REDACTED)) {
      if (matchesRedacted(was, is)) return [];
    }
    return [{ path, was, now: is }];
  });
}
