import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";
import { subschemasOf } from "../lint/walk.ts";
import { ANNOTATIONS, mapSchemas, withoutKeywords } from "./map-schemas.ts";

/** The most schemas that may result: references to references multiply. */
const MAX_SCHEMAS = 5_000;
const NOT_LOCAL = /^(?!#(?:\/|$))/;

class Refusal extends Error {}

/**
 * Replaces references with the schemas that they lead to, and removes the definitions. Returns undefined if that is
 * not possible: for a schema that refers to itself, for references that are not JSON pointers (RFC 6901) into the
 * same schema, or for references beside other keywords.
 * @param cuts whether to drop such recursive references, and the keywords beside references, instead of giving up: the
 *   type of the target then replaces a recursive reference, and the schema accepts more than before
 */
export function inlineReferences(schema: JsonObject, cuts = false): JsonObject | undefined {
  if (
    subschemasOf(schema, "").some(
      ({ schema: { $id, id } }, at) => at > 0 && ($id ?? id) !== undefined,
    )
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
      const isHarmless = hasOnlyNotes(inner);
      if (typeof $ref !== "string" || (!cuts && !isHarmless) || NOT_LOCAL.test($ref)) {
        throw new Refusal();
      }
      const target = referenceTarget(schema, $ref);
      if (target === true) return withoutKeywords(inner, ["$ref"]);
      if (!isObject(target)) throw new Refusal();
      const isCut = open.includes($ref) || (cuts && left < MAX_SCHEMAS - MAX_UNCUT);
      if (isCut && !cuts) throw new Refusal();
      const led = isCut ? typeAlone(target) : resolve(target, [...open, $ref]);
      const beside = isHarmless ? withoutKeywords(inner, ["$ref"]) : annotationsOf(inner);
      return { ...led, ...beside };
    });
  try {
    const whole = resolve(withoutKeywords(schema, DEFINITIONS), []);
    return withoutKeywords(whole, DEFINITIONS);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
/** How many schemas may result before references are cut, so that a few of them do not fill a model's context. */
const MAX_UNCUT = 300;

/** Returns whether a reference has nothing beside it that checks something. */
function hasOnlyNotes(schema: JsonObject): boolean {
  return Object.keys(schema).every(
    (keyword) => keyword === "$ref" || ANNOTATIONS.has(keyword) || DEFINITIONS.has(keyword),
  );
}

function annotationsOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword)));
}

function typeAlone({ type, description }: JsonObject): JsonObject {
  return {
    ...(typeof type === "string" && { type }),
    ...(typeof description === "string" && { description }),
  };
}

/** Returns what a reference by JSON pointer leads to; undefined if that is nothing, or in another document. */
export function referenceTarget(whole: JsonObject, $ref: string): unknown {
  const tokens = NOT_LOCAL.test($ref) ? undefined : fragmentTokens($ref);
  return tokens === undefined ? undefined : valueAt(whole, tokens)?.value;
}

/**
 * Replaces the references that have other keywords beside them with the schemas that they lead to. Definitions stay.
 * @param cuts whether what is beside a reference and would check something is dropped if it cannot be written into
 *   the schema that the reference leads to
 */
export function inlineRefsWithSiblings(whole: JsonObject, cuts = false): JsonObject {
  return mapSchemas(whole, (schema, isTop) => {
    const { $ref } = schema;
    const beside = Object.keys(schema).filter(
      (keyword) => keyword !== "$ref" && !(isTop && DEFINITIONS.has(keyword)),
    );
    if (typeof $ref !== "string" || (beside.length === 0 && !isTop)) return schema;
    const target = referenceTarget(whole, $ref);
    if (!isObject(target) || target === schema || Object.hasOwn(target, "$id")) return schema;
    const own = withoutKeywords(schema, ["$ref"]);
    const checking = beside.filter((keyword) => !ANNOTATIONS.has(keyword));
    const isApart =
      checking.every((keyword) => !Object.hasOwn(target, keyword)) &&
      (checking.length === 0 || !Object.hasOwn(target, "$ref")) &&
      LOOKING.every((keyword) => !Object.hasOwn(target, keyword) && !Object.hasOwn(own, keyword));
    if (checking.length === 0 || isApart) return { ...target, ...own };
    return cuts ? { ...target, ...withoutKeywords(own, checking) } : schema;
  });
}

/** Keywords whose effect depends on the keywords beside them. */
const LOOKING = [
  ..."additionalProperties unevaluatedProperties unevaluatedItems patternProperties".split(" "),
  ..."items prefixItems if then else contains minContains maxContains".split(" "),
];
