import { dialectOf, isObject, type JsonObject } from "@touchstone/core/advanced";
import { subschemasOf } from "../lint/walk.ts";
import { keywordsThatChange } from "./dialect.ts";
import { ANNOTATIONS, mapSchemas, someSchema, withoutKeywords } from "./map-schemas.ts";

/** Older keywords that are rewritten in their 2020-12 form, so they need not be removed. */
const WRITTEN = new Set(["dependencies", "additionalItems", "$recursiveRef"]);
/** Keywords that are kept beside a `$ref`. In older dialects, a `$ref` disables all others. */
const BESIDE = new Set([...ANNOTATIONS, "definitions", "$defs", "$schema"]);
const LOCAL = /^#(?:\/|$)/;

/**
 * Rewrites a schema that names an older dialect in draft 2020-12 and removes `$schema`: tuples become `prefixItems`,
 * `dependencies` becomes two keywords, a boolean `exclusiveMinimum` becomes a number, `definitions` becomes `$defs`,
 * and keywords that the older dialect does not know are removed. Returns the schema unchanged if it is already 2020-12,
 * or has identifiers, anchors, or references that do not point to a place inside it.
 */
export function modernDialect(schema: JsonObject): JsonObject {
  const { $schema } = schema;
  const named = typeof $schema === "string" ? dialectOf($schema) : undefined;
  if (named === undefined || named === "2020-12" || !isMovable(schema)) return schema;
  const hides = named !== "2019-09";
  const unknown = keywordsThatChange(schema).filter((keyword) => !WRITTEN.has(keyword));
  const isNew = new Set(unknown.filter((keyword) => keyword !== "id" && keyword !== "$id"));
  const renames = !Object.hasOwn(schema, "$defs") && isObject(schema["definitions"]);
  const modern = mapSchemas(schema, (each, isTop) => {
    const seen = hides && Object.hasOwn(each, "$ref") ? onlyReference(each) : each;
    const known = withoutKeywords(seen, isTop ? [...isNew, "$schema", "id", "$id"] : isNew);
    return moved(bounded(withDependencies(withTuples(known))), renames, isTop);
  });
  return modern;
}

/** Returns whether a schema has no identifiers, anchors or references that the rewrite would break. */
function isMovable(schema: JsonObject): boolean {
  const nested = subschemasOf(schema, "").slice(1);
  if (nested.some(({ schema: { $id, id } }) => ($id ?? id) !== undefined)) return false;
  const isOdd = someSchema(schema, (each) => {
    const { $ref, $recursiveRef } = each;
    if (Object.hasOwn(each, "$anchor") || Object.hasOwn(each, "$recursiveAnchor")) return true;
    if ($recursiveRef !== undefined && ($recursiveRef !== "#" || $ref !== undefined)) return true;
    // In older dialects, an item that `contains` matches does not count as evaluated.
    if (Object.hasOwn(each, "unevaluatedItems")) return true;
    return $ref !== undefined && !(typeof $ref === "string" && LOCAL.test($ref));
  });
  return !isOdd;
}

function onlyReference(schema: JsonObject): JsonObject {
  return withoutKeywords(
    schema,
    Object.keys(schema).filter((keyword) => keyword !== "$ref" && !BESIDE.has(keyword)),
  );
}

function withTuples(schema: JsonObject): JsonObject {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return withoutKeywords(schema, ["additionalItems"]);
  return {
    ...withoutKeywords(schema, ["items", "additionalItems"]),
    ...(items.length === 0 ? {} : { prefixItems: items }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}

function withDependencies(schema: JsonObject): JsonObject {
  const { dependencies } = schema;
  if (!isObject(dependencies)) return schema;
  const held = Object.entries(dependencies);
  const names = held.filter(([, value]) => Array.isArray(value));
  const schemas = held.filter(([, value]) => !Array.isArray(value));
  const merged = (keyword: string, entries: readonly [string, unknown][]): JsonObject => {
    const own = schema[keyword];
    return entries.length === 0
      ? {}
      : { [keyword]: { ...(isObject(own) ? own : {}), ...Object.fromEntries(entries) } };
  };
  return {
    ...withoutKeywords(schema, ["dependencies"]),
    ...merged("dependentRequired", names),
    ...merged("dependentSchemas", schemas),
  };
}

/** Rewrites bounds that a boolean keyword makes exclusive (draft-04, Validation, sections 5.1.2 and 5.1.3). */
function bounded(schema: JsonObject): JsonObject {
  let result = schema;
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const { [exclusive]: isExclusive, [bound]: value } = result;
    if (typeof isExclusive !== "boolean") continue;
    result = withoutKeywords(result, [exclusive]);
    if (isExclusive && value !== undefined) {
      result = { ...withoutKeywords(result, [bound]), [exclusive]: value };
    }
  }
  return result;
}

function moved(schema: JsonObject, renames: boolean, isTop: boolean): JsonObject {
  const { $recursiveRef, ...rest } = schema;
  const result = $recursiveRef === undefined ? schema : { ...rest, $ref: $recursiveRef };
  if (!renames) return result;
  const { $ref, definitions, ...others } = result;
  return {
    ...(isTop || definitions === undefined ? others : { ...others, definitions }),
    ...(typeof $ref === "string" ? { $ref: $ref.replace(/^#\/definitions\//, "#/$defs/") } : {}),
    ...(isTop ? { $defs: definitions } : {}),
  };
}
