import { DIALECTS, type Dialect, dialectOf, type JsonObject } from "@touchstone/core/advanced";
import { someSchema } from "./map-schemas.ts";

/** Keywords that 2020-12 does not know, or that mean something else in it than in an older dialect. */
const OF_DIALECT = ["dependencies", "additionalItems", "$recursiveRef", "$recursiveAnchor", "id"];

/** Keywords by the dialect that introduced them or their meaning. Earlier dialects ignore them. */
const SINCE: Readonly<Partial<Record<Dialect, readonly string[]>>> = {
  "draft-06": ["$id", "const", "contains", "propertyNames"],
  "draft-07": ["if"],
  "2019-09": [
    ..."$anchor dependentRequired dependentSchemas minContains maxContains".split(" "),
    "unevaluatedProperties",
  ],
  // Since 2020-12, "unevaluatedItems" takes into account the items that "contains" matches.
  "2020-12": ["prefixItems", "$dynamicRef", "$dynamicAnchor", "unevaluatedItems"],
};

/** Returns the keywords that mean something else in 2020-12 than in the dialect that a schema names. */
export function keywordsThatChange({ $schema }: JsonObject): readonly string[] {
  const named = typeof $schema === "string" ? dialectOf($schema) : undefined;
  const newer = named === undefined ? [] : DIALECTS.slice(DIALECTS.indexOf(named) + 1);
  return [...OF_DIALECT, ...newer.flatMap((dialect) => SINCE[dialect] ?? [])];
}

/** Returns whether `$schema` can be removed: nothing in the schema means something else without it. */
export function isDialectRedundant(schema: JsonObject): boolean {
  const changing = keywordsThatChange(schema);
  return !someSchema(
    schema,
    (each) =>
      changing.some((keyword) => Object.hasOwn(each, keyword)) ||
      Array.isArray(each["items"]) ||
      typeof each["exclusiveMinimum"] === "boolean" ||
      typeof each["exclusiveMaximum"] === "boolean" ||
      (Object.hasOwn(each, "$ref") && Object.keys(each).length > 1),
  );
}
