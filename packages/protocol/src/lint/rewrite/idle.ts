import { isObject, type JsonObject } from "@touchstone/core";
import { someSchema } from "./map-schemas.ts";

function isAnything(value: unknown): boolean {
  return value === true || (isObject(value) && Object.keys(value).length === 0);
}

/** Values of keywords by which they check nothing. */
const IDLE: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["additionalProperties", isAnything],
  ["unevaluatedProperties", isAnything],
  ["unevaluatedItems", isAnything],
  [
    "propertyNames",
    (value: unknown) =>
      isAnything(value) ||
      (isObject(value) && value["type"] === "string" && Object.keys(value).length === 1),
  ],
  ["uniqueItems", (value: unknown) => value === false],
  ["minLength", (value: unknown) => value === 0],
  ["minProperties", (value: unknown) => value === 0],
  ["allOf", (value: unknown) => Array.isArray(value) && value.every(isAnything)],
]);

/** Keywords that tell `unevaluated*` what was looked at, though they check nothing. */
const TELLING: ReadonlySet<string> = new Set([
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

/** Returns whether it matters in a schema which properties and items its keywords have looked at. */
export function asksForEvaluated(schema: JsonObject): boolean {
  return someSchema(schema, ({ unevaluatedProperties: properties, unevaluatedItems: items }) =>
    [properties, items].some((asking) => asking !== undefined && !isAnything(asking)),
  );
}

/**
 * Tells of keywords of one whole schema whether they can go with the values that they have.
 * @param schema the outermost one
 */
export function idleIn(schema: JsonObject): (keyword: string, value: unknown) => boolean {
  const asks = asksForEvaluated(schema);
  return (keyword, value) => IDLE.get(keyword)?.(value) === true && !(asks && TELLING.has(keyword));
}
