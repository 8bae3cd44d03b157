import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { someSchema } from "./map-schemas.ts";

function isAnything(value: unknown): boolean {
  return value === true || (isObject(value) && Object.keys(value).length === 0);
}

/** Keyword values that make their keyword check nothing. */
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

/** Keywords that mark values as evaluated for `unevaluated*`, though they check nothing. */
const TELLING: ReadonlySet<string> = new Set([
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

/** Returns whether a schema depends on which properties and items its keywords have evaluated. */
export function dependsOnEvaluated(schema: JsonObject): boolean {
  return someSchema(schema, ({ unevaluatedProperties: properties, unevaluatedItems: items }) =>
    [properties, items].some((asking) => asking !== undefined && !isAnything(asking)),
  );
}

/**
 * Returns a test of whether keywords of one whole schema can be removed, given their values.
 * @param schema the outermost one
 */
export function removableKeywordTest(
  schema: JsonObject,
): (keyword: string, value: unknown) => boolean {
  const asks = dependsOnEvaluated(schema);
  return (keyword, value) => IDLE.get(keyword)?.(value) === true && !(asks && TELLING.has(keyword));
}
