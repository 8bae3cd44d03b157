import type { KeywordError } from "../../engine/context.ts";
import { plainLine, quote, quoteValue, wordList } from "../../json/quote.ts";
import type { AllowedValues } from "../../keywords/explain.ts";
import { alwaysApplied, exactLiteralsOf, literalsOf } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import type { Issue } from "../../result.ts";
import { isRounded } from "../issues/issue.ts";

const MAX_VALUES = 12;
const MAX_TEXT = 80;
const MAX_BRANCHES = 4;
const MAX_WORDS = 7;
const MAX_LEVELS = 2;
/** Maximum number of schemas visited to describe one: a hostile schema has branches times branches of them. */
const MAX_SCHEMAS = 64;
/** In longer texts, characters are not counted. */
const MAX_COUNTED = 5_000;

const NOUNS: ReadonlyMap<string, string> = new Map([
  // `JSON.parse` returns Infinity for 1e400.
  ["Infinity", "a number that a double cannot hold"],
  ["-Infinity", "a number that a double cannot hold"],
  ["NaN", "NaN"],
  ["array", "an array"],
  ["boolean", "a boolean"],
  ["integer", "an integer"],
  ["null", "null"],
  ["number", "a number"],
  ["object", "an object"],
  ["string", "a string"],
]);

/** Returns a type with its article. */
export function typeWithArticle(type: string): string {
  return NOUNS.get(type) ?? quote(type);
}

/** Returns the allowed values, at most 12 of them, and how many more there are. */
export function listValues(values: readonly unknown[]): string {
  return list(values, (value) => quoteValue(value));
}

/** {@link listValues} for values given as JSON texts. */
export function listTexts(texts: readonly unknown[]): string {
  return list(texts, (text) => plainLine(String(text), MAX_TEXT));
}

function list(values: readonly unknown[], write: (value: unknown) => string): string {
  const [only] = values;
  if (values.length === 1) return write(only);
  const shown = values.slice(0, MAX_VALUES).map(write);
  const more = values.length - shown.length;
  return `one of ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns what may be at a place, in words: `"a string or null"`, `one of "C", "F"`. */
export function describeWanted({ types, values }: AllowedValues): string {
  const literals = values.filter((value) => value !== null);
  const names = [...types];
  if (literals.length < values.length && !names.includes("null")) names.push("null");
  const words = names.map(typeWithArticle);
  if (literals.length > 0) words.unshift(listValues(literals));
  return wordList(words, MAX_WORDS);
}

/** Returns what a schema asks for, in a few words; undefined if there is no short description. */
export function describeSchema(node: SchemaNode): string | undefined {
  return describeAt(node, 0, { left: MAX_SCHEMAS });
}

function describeAt(
  node: SchemaNode,
  level: number,
  schemas: { left: number },
): string | undefined {
  const words = wordsOf(node, level, schemas);
  return words && wordList(words, MAX_WORDS);
}

function wordsOf(
  node: SchemaNode,
  level: number,
  schemas: { left: number },
): readonly string[] | undefined {
  if (schemas.left-- <= 0) return undefined;
  const literals = literalsOf(node);
  if (literals !== undefined) return [listValues(literals)];
  const exact = exactLiteralsOf(node);
  if (exact !== undefined) return [listTexts(exact)];
  for (const { type, format, items, anyOf, oneOf } of alwaysApplied(node)) {
    if (type !== undefined) {
      return type.map((name) => {
        if (name === "string" && format !== undefined) return `a string (${quote(format)})`;
        const each = name !== "array" || level >= MAX_LEVELS ? undefined : items;
        const inner = each === undefined ? undefined : describeAt(each, level + 1, schemas);
        return inner === undefined ? typeWithArticle(name) : `an array, each item ${inner}`;
      });
    }
    const branches = anyOf ?? oneOf;
    if (branches === undefined || branches.length > MAX_BRANCHES || level >= MAX_LEVELS) continue;
    const words = branches.map((branch) => wordsOf(branch, level + 1, schemas));
    if (words.includes(undefined)) continue;
    return [...new Set(words.flatMap((some) => some ?? []))];
  }
  return undefined;
}

function count(size: number, one: string): string {
  return `${size} ${one}${size === 1 ? "" : "s"}`;
}

/** Describes the value found by its type and size, never by its contents: `a string of 5 characters`. */
export function describeReceived({
  error,
  issue,
}: {
  readonly issue: Issue;
  readonly error?: KeywordError | undefined;
}): string | undefined {
  if (error === undefined) {
    const received = issue.params?.["received"];
    if (received === "undefined") return "missing";
    return typeof received === "string" ? typeWithArticle(received) : undefined;
  }
  return isRounded(error) ? "a number with a fraction" : describeData(error);
}

/** Returns the length of a text in code points, which is what `maxLength` counts. */
function characters(text: string): string {
  return text.length > 2 * MAX_COUNTED
    ? `more than ${MAX_COUNTED} characters`
    : count([...text].length, "character");
}

function describeData({ data }: KeywordError): string {
  if (data === null) return "null";
  if (Array.isArray(data)) return `an array of ${count(data.length, "item")}`;
  switch (typeof data) {
    case "string":
      return data === "" ? "an empty string" : `a string of ${characters(data)}`;
    case "number":
      // It is not a JSON number, so it has no JSON type.
      if (!Number.isFinite(data)) return typeWithArticle(String(data));
      return Number.isInteger(data) ? "an integer" : "a number";
    case "object":
      return "an object";
    case "undefined":
      return "missing";
    default:
      return `a ${typeof data}`;
  }
}
