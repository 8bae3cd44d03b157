import type { JsonObject } from "@touchstone/core/advanced";
import type { Shape, ValueType } from "./shape.ts";

const NUMBERS: readonly ValueType[] = ["integer", "number"];

/**
 * Keywords that limit values in a way that types and names do not show, with the types that they limit; undefined
 * means any type. They have no subschemas.
 */
export const LIMITING_KEYWORDS: ReadonlyMap<string, readonly ValueType[] | undefined> = new Map([
  ["enum", undefined],
  ["const", undefined],
  ["minimum", NUMBERS],
  ["exclusiveMinimum", NUMBERS],
  ["maximum", NUMBERS],
  ["exclusiveMaximum", NUMBERS],
  ["multipleOf", NUMBERS],
  ["minLength", ["string"]],
  ["maxLength", ["string"]],
  ["pattern", ["string"]],
  // A vocabulary may have formats for other types.
  ["format", ["string", ...NUMBERS]],
  ["minItems", ["array"]],
  ["maxItems", ["array"]],
  ["uniqueItems", ["array"]],
  ["minProperties", ["object"]],
  ["maxProperties", ["object"]],
]);

/** Keywords with subschemas that may refuse the value itself, and which are not compared. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "anyOf",
  "oneOf",
  "not",
  "if",
  "contains",
  "propertyNames",
  "dependentRequired",
  "unevaluatedItems",
]);

/** Returns whether the number of values that broke a keyword is kept. */
export function isCountedKeyword(keyword: string): boolean {
  return LIMITING_KEYWORDS.has(keyword) || CONDITIONS.has(keyword);
}

/** Returns a schema's limits by keywords of which that number is kept. */
export function countedLimits(schema: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(schema).filter(([keyword]) => isCountedKeyword(keyword));
}

/** Returns whether a keyword limits values of a type that occurred. */
export function limitsType(keyword: string, { types, count }: Shape): boolean {
  if (!LIMITING_KEYWORDS.has(keyword)) return false;
  const of = LIMITING_KEYWORDS.get(keyword);
  return of === undefined ? count > 0 : of.some((type) => types.has(type));
}

/** Keywords of draft-04 that make the limit next to them exclusive. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
]);

/** Returns a schema without the limits that values broke. */
export function withoutBrokenLimits(
  schema: Record<string, unknown>,
  { broken }: Shape,
): Record<string, unknown> {
  const next = { ...schema };
  for (const keyword of broken.keys()) {
    delete next[keyword];
    const flag = FLAGS.get(keyword);
    if (flag !== undefined && typeof next[flag] === "boolean") delete next[flag];
  }
  return next;
}
