import { alwaysInPlace, forEachApplied } from "./edges.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/**
 * What a schema says about members that it does not declare:
 *
 * - `open`: nothing, so any may be there
 * - `decided`: it has `additionalProperties` or `unevaluatedProperties`, whatever those say
 * - `empty`: it does not declare a member at any place
 */
export type Openness = "open" | "decided" | "empty";

function declaresSome({ properties, patternProperties }: SchemaNode): boolean {
  return (properties?.size ?? 0) > 0 || (patternProperties?.length ?? 0) > 0;
}

function decides({ additionalProperties, unevaluatedProperties }: SchemaNode): boolean {
  return additionalProperties !== undefined || unevaluatedProperties !== undefined;
}

/**
 * Returns whether a schema declares a member anywhere, in itself or below. Ignores names and what `not` forbids.
 */
function declaresAny(root: SchemaNode): boolean {
  const seen = new Set([root]);
  for (const node of seen) {
    if (declaresSome(node)) return true;
    forEachApplied(node, (schema, where) => {
      if (where !== "not" && where !== "names") seen.add(schema);
    });
  }
  return false;
}

/** Returns what a schema says about undeclared members of the whole value. */
export function opennessOf({ root }: SchemaGraph): Openness {
  if (!declaresAny(root)) return "empty";
  return [...applied(root)].some(decides) ? "decided" : "open";
}

/** Returns the schema of the whole value, and those that it always applies to it. */
function applied(root: SchemaNode): ReadonlySet<SchemaNode> {
  const seen = new Set([root]);
  for (const node of seen) for (const next of alwaysInPlace(node)) seen.add(next);
  return seen;
}

/** Returns whether a valid object has no members but those that the schema always declares. */
export function isClosed({ root }: SchemaGraph): boolean {
  return [...applied(root)].some(
    ({ additionalProperties, patternProperties = [] }) =>
      additionalProperties?.always === false && patternProperties.length === 0,
  );
}

/** Returns the names of members that the schema always declares for the whole value. */
export function alwaysDeclared({ root }: SchemaGraph): ReadonlySet<string> {
  return new Set([...applied(root)].flatMap(({ properties }) => [...(properties?.keys() ?? [])]));
}
