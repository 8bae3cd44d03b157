import type { JsonObject } from "@touchstone/core";
import { mapSchemas } from "./map-schemas.ts";

/** Keywords whose meaning another dialect than 2020-12 changes. */
const OF_DIALECT = ["dependencies", "additionalItems", "$recursiveRef", "$recursiveAnchor", "id"];

/** Whether `$schema` can go: nothing in the schema means something else without it. */
export function isPlain(schema: JsonObject): boolean {
  let plain = true;
  mapSchemas(schema, (each) => {
    const odd =
      OF_DIALECT.some((keyword) => Object.hasOwn(each, keyword)) ||
      Array.isArray(each["items"]) ||
      typeof each["exclusiveMinimum"] === "boolean" ||
      typeof each["exclusiveMaximum"] === "boolean" ||
      (Object.hasOwn(each, "$ref") && Object.keys(each).length > 1);
    if (odd) plain = false;
    return each;
  });
  return plain;
}
