import { isObject, type JsonObject } from "@touchstone/core";
import { HOLDERS, MAPS } from "../../keywords.ts";

/**
 * Rebuilds a schema from the inside out. The one that is given stays as it is.
 * @param change gives a schema, or boolean, instead of each; its parts are changed already
 */
export function mapSchemas(
  schema: JsonObject,
  change: (schema: JsonObject, isTop: boolean) => JsonObject,
): JsonObject {
  const visit = (value: unknown): unknown =>
    isObject(value) ? change(inside(value), false) : value;
  const inside = (each: JsonObject): JsonObject => {
    const members = Object.entries(each).map(([keyword, held]): [string, unknown] => {
      if (MAPS.has(keyword) && isObject(held)) {
        const named = Object.entries(held).map(([name, value]): [string, unknown] => [
          name,
          // `dependencies` may list names as well.
          Array.isArray(value) ? value : visit(value),
        ]);
        return [keyword, Object.fromEntries(named)];
      }
      if (!HOLDERS.has(keyword)) return [keyword, held];
      return [keyword, Array.isArray(held) ? held.map(visit) : visit(held)];
    });
    return Object.fromEntries(members);
  };
  return change(inside(schema), true);
}

/** Returns whether it is so of a schema, or of one that is in it. */
export function someSchema(schema: JsonObject, is: (schema: JsonObject) => boolean): boolean {
  let found = false;
  mapSchemas(schema, (each) => {
    found ||= is(each);
    return each;
  });
  return found;
}

/** Returns a schema without some keywords. */
export function without(schema: JsonObject, keywords: Iterable<string>): JsonObject {
  const gone = new Set(keywords);
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !gone.has(keyword)));
}

/** Keywords that describe, and change no verdict. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  (
    "title description default examples example deprecated readOnly writeOnly $comment " +
    "contentEncoding contentMediaType contentSchema"
  ).split(" "),
);
