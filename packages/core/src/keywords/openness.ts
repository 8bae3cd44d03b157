import { alwaysInPlace, eachEdge } from "./edges.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/**
 * What a schema says of the members that it does not declare:
 *
 * - `open`: nothing, so that any may be there
 * - `decided`: it has `additionalProperties` or `unevaluatedProperties`, whatever those say
 * - `empty`: it declares no member at any place
 */
export type Openness = "open" | "decided" | "empty";

function declaresSome({ properties, patternProperties }: SchemaNode): boolean {
  return (properties?.size ?? 0) > 0 || (patternProperties?.length ?? 0) > 0;
}

function decides({ additionalProperties, unevaluatedProperties }: SchemaNode): boolean {
  return additionalProperties !== undefined || unevaluatedProperties !== undefined;
}

/** Returns whether a schema declares a member at some place, in or below it. Leaves out what `not` forbids, and names. */
function declaresAny(root: SchemaNode): boolean {
  const seen = new Set([root]);
  for (const node of seen) {
    if (declaresSome(node)) return true;
    eachEdge(node, (schema, where) => {
      if (where !== "not" && where !== "names") seen.add(schema);
    });
  }
  return false;
}

/** Returns what a schema says of members of the whole value that it does not declare. */
export function opennessOf({ root }: SchemaGraph): Openness {
  if (!declaresAny(root)) return "empty";
  return [...applied(root)].some(decides) ? "decided" : "open";
}

/** Returns the schema of the whole value, and those that it applies to it whatever the value is. */
function applied(root: SchemaNode): ReadonlySet<SchemaNode> {
  const seen = new Set([root]);
  for (const node of seen) for (const next of alwaysInPlace(node)) seen.add(next);
  return seen;
}

/** Returns names of members that the schema declares for the whole value, whatever that is. */
export function surelyDeclared({ root }: SchemaGraph): ReadonlySet<string> {
  return new Set([...applied(root)].flatMap(({ properties }) => [...(properties?.keys() ?? [])]));
}
