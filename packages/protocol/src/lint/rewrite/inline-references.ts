import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core";
import { placesOf } from "../walk.ts";
import { ANNOTATIONS, mapSchemas, without } from "./map-schemas.ts";

/** The most schemas that may result: references to references multiply. */
const MAX_SCHEMAS = 5_000;
const NOT_LOCAL = /^(?!#(?:\/|$))/;

class Refusal extends Error {}

/**
 * Replaces references with the schemas that they lead to, and removes the definitions. Returns undefined if that is
 * not possible: for a schema that refers to itself, for references that are not JSON pointers (RFC 6901) into the
 * same schema, or for references beside other keywords.
 */
export function inlineReferences(schema: JsonObject): JsonObject | undefined {
  if (
    placesOf(schema, "").some(({ schema: { $id, id } }, at) => at > 0 && ($id ?? id) !== undefined)
  ) {
    return undefined;
  }
  let left = MAX_SCHEMAS;
  const resolve = (each: JsonObject, open: readonly string[]): JsonObject =>
    mapSchemas(each, (inner) => {
      left -= 1;
      if (left < 0) throw new Refusal();
      const { $ref } = inner;
      if ($ref === undefined) return inner;
      const beside = Object.keys(inner).filter((keyword) => keyword !== "$ref");
      const harmless = beside.every(
        (keyword) => ANNOTATIONS.has(keyword) || DEFINITIONS.has(keyword),
      );
      if (typeof $ref !== "string" || !harmless || NOT_LOCAL.test($ref) || open.includes($ref)) {
        throw new Refusal();
      }
      const tokens = fragmentTokens($ref);
      const target = tokens === undefined ? undefined : valueAt(schema, tokens)?.value;
      if (target === true) return without(inner, ["$ref"]);
      if (!isObject(target)) throw new Refusal();
      return { ...resolve(target, [...open, $ref]), ...without(inner, ["$ref"]) };
    });
  try {
    const whole = resolve(without(schema, DEFINITIONS), []);
    return without(whole, DEFINITIONS);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
