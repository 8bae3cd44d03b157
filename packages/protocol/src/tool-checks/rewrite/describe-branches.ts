import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { keywordsBesideAnyOf } from "../lint/providers/any-of-alone.ts";
import { ANNOTATIONS } from "./map-schemas.ts";

/** Puts one description in front of another. */
export function joinDescriptions(outer: unknown, inner: unknown): unknown {
  if (typeof outer !== "string" || typeof inner !== "string") return inner ?? outer;
  return `${outer} ${inner}`;
}

/**
 * Makes `anyOf` the only keyword of its schema if all keywords beside it are only descriptions. The `description` goes
 * into each branch, in front of any that is there; the `title` goes into branches that have none; the rest is dropped.
 * Returns any other schema as it is.
 */
export function describeBranches(schema: JsonObject): JsonObject {
  const { anyOf, title, description } = schema;
  const beside = keywordsBesideAnyOf(schema);
  if (beside.length === 0 || !beside.every((keyword) => ANNOTATIONS.has(keyword))) return schema;
  if (!Array.isArray(anyOf) || !anyOf.every(isObject)) return schema;
  return {
    anyOf: anyOf.map((branch) => ({
      ...(title === undefined ? {} : { title }),
      ...branch,
      ...(description === undefined
        ? {}
        : { description: joinDescriptions(description, branch["description"]) }),
    })),
  };
}
