import { isObject, type JsonObject } from "@touchstone/core";
import { ANNOTATIONS, without } from "./map-schemas.ts";

/** What parts of `allOf` may hold to be written into the schema around them. */
const MERGEABLE: ReadonlySet<string> = new Set(["type", "properties", "required", ...ANNOTATIONS]);
/** Keywords that look at what stands beside them. */
const LOOKING = ["additionalProperties", "unevaluatedProperties", "patternProperties", "$ref"];

/** The parts of `allOf` written into the schema around them, where they do not overlap. */
export function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf } = schema;
  if (!Array.isArray(allOf) || LOOKING.some((keyword) => Object.hasOwn(schema, keyword)))
    return schema;
  let properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  let { type } = schema;
  for (const part of allOf) {
    if (!isObject(part) || Object.keys(part).some((keyword) => !MERGEABLE.has(keyword)))
      return schema;
    const more = isObject(part["properties"]) ? part["properties"] : {};
    if (Object.keys(more).some((name) => Object.hasOwn(properties, name))) return schema;
    if (part["type"] !== undefined && type !== undefined && part["type"] !== type) return schema;
    type = type ?? part["type"];
    properties = { ...properties, ...more };
    for (const name of Array.isArray(part["required"]) ? part["required"] : []) required.add(name);
  }
  return {
    ...without(schema, ["allOf", "type", "properties", "required"]),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}
