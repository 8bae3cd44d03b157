import { isObject, type JsonObject } from "@touchstone/core";
import { besideAnyOf } from "../providers/any-of-alone.ts";
import { ANNOTATIONS } from "./map-schemas.ts";

/** Returns a description in front of another. */
export function joined(outer: unknown, inner: unknown): unknown {
  if (typeof outer !== "string" || typeof inner !== "string") return inner ?? outer;
  return `${outer} ${inner}`;
}

/**
 * Leaves `anyOf` alone in its schema where all that is beside it only describes: the `description`
 * goes into each branch, in front of the one that is there, the `title` into those that have none, and
 * the rest is left out. Any other schema is given back as it is.
 */
export function describeBranches(schema: JsonObject): JsonObject {
  const { anyOf, title, description } = schema;
  const beside = besideAnyOf(schema);
  if (beside.length === 0 || !beside.every((keyword) => ANNOTATIONS.has(keyword))) return schema;
  if (!Array.isArray(anyOf) || !anyOf.every(isObject)) return schema;
  return {
    anyOf: anyOf.map((branch) => ({
      ...(title === undefined ? {} : { title }),
      ...branch,
      ...(description === undefined
        ? {}
        : { description: joined(description, branch["description"]) }),
    })),
  };
}
