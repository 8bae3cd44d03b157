import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { joinDescriptions } from "./describe-branches.ts";
import { referenceTarget } from "./inline-references.ts";
import { ANNOTATIONS, withoutKeywords } from "./map-schemas.ts";

/** The keywords that a part of `allOf` may have if it is to be merged into the schema around it. */
const MERGEABLE: ReadonlySet<string> = new Set(["type", "properties", "required", ...ANNOTATIONS]);
/** Keywords whose effect depends on the keywords beside them. */
const LOOKING = ["additionalProperties", "unevaluatedProperties", "patternProperties", "$ref"];

/** If several are present, the outermost one is kept. */
const OUTERMOST: ReadonlySet<string> = new Set(["title", "$comment"]);

function hasOnlyNotes(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => keyword === "allOf" || ANNOTATIONS.has(keyword));
}

/** Returns the merged annotations of two schemas; undefined if they conflict. */
function described(outer: JsonObject, part: JsonObject): JsonObject | undefined {
  const all: Record<string, unknown> = { ...outer };
  for (const keyword of Object.keys(part).filter((each) => ANNOTATIONS.has(each))) {
    const [mine, theirs] = [all[keyword], part[keyword]];
    if (mine === undefined) all[keyword] = theirs;
    else if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    else if (keyword === "description") all[keyword] = joinDescriptions(mine, theirs);
    else if (!OUTERMOST.has(keyword)) return undefined;
  }
  return all;
}

/** Returns a schema with the parts of `allOf` that are only references replaced by what they lead to. */
export function inlineAllOfReferences(schema: JsonObject, whole: JsonObject): JsonObject {
  const { allOf } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = allOf.map((part: unknown) => {
    if (!isObject(part) || typeof part["$ref"] !== "string") return part;
    const target = referenceTarget(whole, part["$ref"]);
    return Object.keys(part).length === 1 && isObject(target) ? target : part;
  });
  return parts.every((part, at) => part === allOf[at]) ? schema : { ...schema, allOf: parts };
}

/**
 * Merges the parts of `allOf`, with their annotations, into the schema around them, if they neither overlap nor
 * differ in defaults, examples and the like. Otherwise returns the schema unchanged.
 */
export function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf } = schema;
  if (!Array.isArray(allOf) || LOOKING.some((keyword) => Object.hasOwn(schema, keyword)))
    return schema;
  const [single] = allOf;
  if (allOf.length === 1 && isObject(single) && hasOnlyNotes(schema)) {
    const around = described(withoutKeywords(schema, ["allOf"]), single);
    if (around !== undefined) return { ...withoutKeywords(single, ANNOTATIONS), ...around };
  }
  const properties = new Map<string, unknown>(
    isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [],
  );
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  let { type } = schema;
  let around: JsonObject | undefined = withoutKeywords(schema, [
    "allOf",
    "type",
    "properties",
    "required",
  ]);
  for (const part of allOf) {
    if (!isObject(part) || Object.keys(part).some((keyword) => !MERGEABLE.has(keyword)))
      return schema;
    const more = isObject(part["properties"]) ? part["properties"] : {};
    if (Object.keys(more).some((name) => properties.has(name))) return schema;
    if (part["type"] !== undefined && type !== undefined && part["type"] !== type) return schema;
    around = described(around, part);
    if (around === undefined) return schema;
    type = type ?? part["type"];
    for (const [name, held] of Object.entries(more)) properties.set(name, held);
    for (const name of Array.isArray(part["required"]) ? part["required"] : []) required.add(name);
  }
  return {
    ...around,
    ...(type === undefined ? {} : { type }),
    ...(properties.size === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}
