import { isObject, type JsonObject } from "@touchstone/core";
import { joined } from "./describe-branches.ts";
import { ANNOTATIONS, without } from "./map-schemas.ts";

/** The keywords that a part of `allOf` may have if it is to be merged into the schema around it. */
const MERGEABLE: ReadonlySet<string> = new Set(["type", "properties", "required", ...ANNOTATIONS]);
/** Keywords whose effect depends on the keywords beside them. */
const LOOKING = ["additionalProperties", "unevaluatedProperties", "patternProperties", "$ref"];

/** If several are present, the outermost one is kept. */
const OUTERMOST: ReadonlySet<string> = new Set(["title", "$comment"]);

/** Returns the merged annotations of two schemas; undefined if they conflict. */
function described(outer: JsonObject, part: JsonObject): JsonObject | undefined {
  const all: Record<string, unknown> = { ...outer };
  for (const keyword of Object.keys(part).filter((each) => ANNOTATIONS.has(each))) {
    const [mine, theirs] = [all[keyword], part[keyword]];
    if (mine === undefined) all[keyword] = theirs;
    else if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    else if (keyword === "description") all[keyword] = joined(mine, theirs);
    else if (!OUTERMOST.has(keyword)) return undefined;
  }
  return all;
}

/**
 * Merges the parts of `allOf`, with their annotations, into the schema around them, if they neither overlap nor
 * differ in defaults, examples and the like. Otherwise returns the schema unchanged.
 */
export function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf } = schema;
  if (!Array.isArray(allOf) || LOOKING.some((keyword) => Object.hasOwn(schema, keyword)))
    return schema;
  let properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  let { type } = schema;
  let around: JsonObject | undefined = without(schema, ["allOf", "type", "properties", "required"]);
  for (const part of allOf) {
    if (!isObject(part) || Object.keys(part).some((keyword) => !MERGEABLE.has(keyword)))
      return schema;
    const more = isObject(part["properties"]) ? part["properties"] : {};
    if (Object.keys(more).some((name) => Object.hasOwn(properties, name))) return schema;
    if (part["type"] !== undefined && type !== undefined && part["type"] !== type) return schema;
    around = described(around, part);
    if (around === undefined) return schema;
    type = type ?? part["type"];
    properties = { ...properties, ...more };
    for (const name of Array.isArray(part["required"]) ? part["required"] : []) required.add(name);
  }
  return {
    ...around,
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}
