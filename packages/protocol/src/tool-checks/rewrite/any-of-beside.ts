import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { keywordsBesideAnyOf } from "../lint/providers/any-of-alone.ts";
import { ANNOTATIONS, withoutKeywords } from "./map-schemas.ts";

/** Keywords whose effect depends on the keywords beside them. */
const LOOKING: ReadonlySet<string> = new Set(
  (
    "additionalProperties unevaluatedProperties unevaluatedItems patternProperties prefixItems contains minContains " +
    "maxContains if then else $ref $dynamicRef"
  ).split(" "),
);

function checking(schema: JsonObject): readonly string[] {
  return keywordsBesideAnyOf(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
}

/** Writes the constraints beside `anyOf` into each of its branches, if none of them has the same keyword. */
export function spreadIntoAnyOf(schema: JsonObject): JsonObject {
  const { anyOf, type } = schema;
  const beside = checking(schema);
  if (!Array.isArray(anyOf) || beside.length === 0) return schema;
  if (beside.some((keyword) => LOOKING.has(keyword))) return schema;
  const branches: JsonObject[] = [];
  for (const branch of anyOf) {
    if (branch === false) continue;
    const own = branch === true ? {} : branch;
    if (!isObject(own) || Object.keys(own).some((keyword) => LOOKING.has(keyword))) return schema;
    const merged = withBeside(own, schema, beside, type);
    if (merged === undefined) return schema;
    branches.push(...merged);
  }
  return branches.length === 0 ? schema : { ...withoutKeywords(schema, beside), anyOf: branches };
}

/**
 * Returns a branch with the keywords of the schema around it; an empty list if no value satisfies both; undefined if
 * that is unknown.
 */
function withBeside(
  branch: JsonObject,
  around: JsonObject,
  beside: readonly string[],
  type: unknown,
): readonly JsonObject[] | undefined {
  const result: Record<string, unknown> = { ...branch };
  for (const keyword of beside) {
    const [mine, theirs] = [branch[keyword], around[keyword]];
    if (mine === undefined) result[keyword] = theirs;
    else if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    else if (keyword === "required" && Array.isArray(mine) && Array.isArray(theirs)) {
      result[keyword] = [...new Set([...theirs, ...mine])];
    } else if (keyword === "type" && typeof mine === "string") {
      const types: readonly unknown[] = Array.isArray(type) ? type : [type];
      if (mine === "integer" && types.includes("number")) continue;
      if (mine === "number" && types.includes("integer")) return undefined;
      if (!types.includes(mine)) return [];
    } else if (keyword === "properties" && isObject(mine) && isObject(theirs)) {
      if (Object.keys(mine).some((name) => Object.hasOwn(theirs, name))) return undefined;
      result[keyword] = { ...theirs, ...mine };
    } else return undefined;
  }
  return [result];
}

/** Keeps either `anyOf` or the keywords beside it: the latter if they declare properties. */
export function anyOfOrBeside(schema: JsonObject): JsonObject {
  const beside = checking(schema);
  if (!Array.isArray(schema["anyOf"]) || beside.length === 0) return schema;
  return isObject(schema["properties"])
    ? withoutKeywords(schema, ["anyOf"])
    : withoutKeywords(schema, beside);
}
