import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../../keywords.ts";

/**
 * Rebuilds a schema from the inside out. Does not change the given schema, and returns the same object if no part
 * changes.
 * @param change returns what to put instead of each schema, whose parts are changed already; `original` is the schema
 *   as it was before
 */
export function mapSchemas(
  schema: JsonObject,
  change: (schema: JsonObject, isTop: boolean, original: JsonObject) => JsonObject,
): JsonObject {
  const visit = (value: unknown): unknown =>
    isObject(value) ? change(inside(value), false, value) : value;
  const inside = (each: JsonObject): JsonObject => {
    return mapMembers(each, (held, keyword) => {
      if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(held)) {
        // `dependencies` may also list names.
        return mapMembers(held, (value) => (Array.isArray(value) ? value : visit(value)));
      }
      if (!SCHEMA_KEYWORDS.has(keyword)) return held;
      if (!Array.isArray(held)) return visit(held);
      const visited = held.map(visit);
      return visited.every((value, i) => value === held[i]) ? held : visited;
    });
  };
  return change(inside(schema), true, schema);
}

/** Returns an object with other values, or the same object if all values stay the same. */
function mapMembers(
  object: JsonObject,
  change: (value: unknown, name: string) => unknown,
): JsonObject {
  let isSame = true;
  const members = Object.entries(object).map(([name, value]): [string, unknown] => {
    const changed = change(value, name);
    isSame &&= changed === value;
    return [name, changed];
  });
  return isSame ? object : Object.fromEntries(members);
}

/** Returns whether the test holds for a schema or for one inside it. */
export function someSchema(schema: JsonObject, is: (schema: JsonObject) => boolean): boolean {
  let found = false;
  mapSchemas(schema, (each) => {
    found ||= is(each);
    return each;
  });
  return found;
}

/** Returns a schema without some keywords, or the same object if it has none of them. */
export function withoutKeywords(schema: JsonObject, keywords: Iterable<string>): JsonObject {
  const gone = new Set(keywords);
  if (!Object.keys(schema).some((keyword) => gone.has(keyword))) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !gone.has(keyword)));
}

/** Keywords that only describe: they never change the result of a check. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  (
    "title description default examples example deprecated readOnly writeOnly $comment " +
    "contentEncoding contentMediaType contentSchema"
  ).split(" "),
);
