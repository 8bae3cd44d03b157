import { isDeepStrictEqual } from "node:util";
import { isObject } from "@touchstone/core/advanced";
import type { Shape } from "@touchstone/records/plain";
import { Comparison, type OnItemSchema } from "./comparison.ts";
import { hasIgnoredKeywords } from "./dialect.ts";
import type { Unsure } from "./schemas.ts";

/** Whether a schema accepts all received values. */
export interface ShapeFit {
  /** Whether that is certain. */
  readonly fits: boolean;
  /** Why it is uncertain, if nothing is known to be refused. */
  readonly unsure: readonly Unsure[];
}

/** A reference that does not point into definitions. */
const OTHER_REFERENCE = /"\$ref":"(?!#\/(?:\$defs|definitions)\/)|"\$dynamicRef"|"\$recursiveRef"/;
const definitionsOf = (root: unknown) =>
  isObject(root) ? [root["$defs"], root["definitions"]] : [];

/** Returns whether two other schemas share the definitions to which a schema refers, or it refers to none. */
function isSameIn(schema: unknown, some: unknown, other: unknown): boolean {
  const text = JSON.stringify(schema) ?? "";
  if (!text.includes('"$')) return true;
  const definitions = definitionsOf(some);
  if (OTHER_REFERENCE.test(JSON.stringify([schema, definitions]))) return false;
  return isDeepStrictEqual(definitions, definitionsOf(other));
}

/**
 * Returns whether the declared schema of items accepted all of them, if no long array was refused, and another schema
 * has the same one.
 */
function itemsTaken(schema: unknown, shape: Shape, declared: unknown): OnItemSchema {
  if (shape.told < shape.count || shape.strayed > 0) return () => false;
  const comparison = new Comparison(declared, shape);
  comparison.compare(declared, shape);
  const { items: known } = comparison.found;
  return (path, items) =>
    known.has(path) &&
    isDeepStrictEqual(known.get(path), items) &&
    isSameIn(items, declared, schema);
}

/**
 * Returns whether a schema accepts all values of a shape, by types, members and verdicts.
 * @param declared the schema by which the values were checked; what it accepted needs no comparison
 */
export function shapeFit(schema: unknown, shape: Shape, declared: unknown): ShapeFit {
  if (shape.passed === shape.count && isDeepStrictEqual(schema, declared)) {
    return { fits: true, unsure: [] };
  }
  const comparison = new Comparison(schema, shape, undefined, itemsTaken(schema, shape, declared));
  comparison.compare(schema, shape);
  const { found } = comparison;
  if (hasIgnoredKeywords(schema)) found.unsure.add("parts");
  const { takesAll, surelyTakesAll, unsure } = found;
  return { fits: surelyTakesAll, unsure: takesAll ? [...unsure] : [] };
}
