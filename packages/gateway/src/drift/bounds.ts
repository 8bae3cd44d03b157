import type { JsonObject } from "@touchstone/core";
import type { Shape, ValueType } from "./shape.ts";

const NUMBERS: readonly ValueType[] = ["integer", "number"];

/**
 * Keywords that say which values of a type are taken, which types and names do not tell, and the types of
 * which they say it; of any if there are none. Subschemas they have none.
 */
export const BOUNDS: ReadonlyMap<string, readonly ValueType[] | undefined> = new Map([
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
  // A vocabulary may have formats of other types.
  ["format", ["string", ...NUMBERS]],
  ["minItems", ["array"]],
  ["maxItems", ["array"]],
  ["uniqueItems", ["array"]],
  ["minProperties", ["object"]],
  ["maxProperties", ["object"]],
]);

/** Keywords with subschemas, which are not compared, that refuse a value in its own place. */
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

/** Returns whether it is kept how often values broke a keyword. */
export function isNoted(keyword: string): boolean {
  return BOUNDS.has(keyword) || CONDITIONS.has(keyword);
}

/** Returns what a schema says by keywords of which it is kept how often values broke them. */
export function notedIn(schema: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(schema).filter(([keyword]) => isNoted(keyword));
}

/** Returns whether a keyword limits values of a type that came. */
export function limits(keyword: string, { types, count }: Shape): boolean {
  if (!BOUNDS.has(keyword)) return false;
  const of = BOUNDS.get(keyword);
  return of === undefined ? count > 0 : of.some((type) => types.has(type));
}

/** What is beside a limit in draft-04, and says that it is exclusive. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
]);

/** Returns a schema without what values were found to break. */
export function withoutBroken(
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
