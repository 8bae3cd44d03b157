import { encodeUtf8, isObject } from "@touchstone/core/advanced";
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
  const patterns = paths.map((path) => path.split("/"));
  const isAsked = (path: string): boolean => {
    const tokens = path.split("/");
    return patterns.some((pattern) =>
      pattern.every((token, at) => (token === "*" ? tokens.length > at : token === tokens[at])),
    );
  };
  const found = new Map<string, string>();
  const texts = jsonTexts(value);
  for (const [path, one] of valuesOf(comparableText(encodeUtf8(text)), MAX_VALUES)) {
    const json = texts.get(path);
    if (json === undefined) {
      if (isAsked(path)) found.set(path, one);
      continue;
    }
    for (const [inside, member] of valuesOf(comparableText(encodeUtf8(json)), MAX_VALUES)) {
      if (isAsked(path + inside)) found.set(path + inside, member);
    }
  }
  return found;
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
