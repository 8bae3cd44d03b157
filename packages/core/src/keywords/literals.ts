import { alwaysInPlace, sometimesInPlace } from "./edges.ts";
import { exactJsonTexts, ownLiterals } from "./equality.ts";
import type { SchemaNode } from "./node.ts";

/** The maximum number of nodes that are followed from one schema by references and `allOf`. */
const MAX_NODES = 64;

/** Returns the node and those that it always applies to the same value, at most 64. */
export function alwaysApplied(node: SchemaNode): readonly SchemaNode[] {
  const nodes = new Set([node]);
  for (const one of nodes) {
    if (nodes.size >= MAX_NODES) break;
    for (const next of alwaysInPlace(one)) nodes.add(next);
  }
  return [...nodes].slice(0, MAX_NODES);
}

/**
 * Returns {@link alwaysApplied}, followed by nodes whose annotations may count for the same value: the branches of
 * `anyOf`, `oneOf` and `if`, and dependent schemas. At most 64.
 */
export function possiblyApplied(node: SchemaNode): readonly SchemaNode[] {
  const nodes = new Set(alwaysApplied(node));
  for (const one of nodes) {
    if (nodes.size >= MAX_NODES) break;
    for (const next of alwaysInPlace(one)) nodes.add(next);
    for (const next of sometimesInPlace(one)) nodes.add(next);
  }
  return [...nodes].slice(0, MAX_NODES);
}

/**
 * Returns the values that the `enum` of a schema allows, by {@link exactJsonTexts}, if a double does not hold all of
 * them.
 */
export function exactLiteralsOf(node: SchemaNode): readonly string[] | undefined {
  const one = alwaysApplied(node).find((each) => ownLiterals(each) !== undefined);
  const isInexact = one !== undefined && ownLiterals(one) === "inexact";
  return isInexact && one.enum !== undefined ? exactJsonTexts(one.enum) : undefined;
}

/** Returns the values that `const` or `enum` of a schema allow, or undefined if it has neither. */
export function literalsOf(node: SchemaNode): readonly unknown[] | undefined {
  for (const one of alwaysApplied(node)) {
    const literals = ownLiterals(one);
    if (literals !== undefined) return literals === "inexact" ? undefined : literals;
  }
  return undefined;
}

/** Returns the schema that a schema declares for a property. */
export function propertyNode(node: SchemaNode, name: string): SchemaNode | undefined {
  for (const { properties } of alwaysApplied(node)) {
    const property = properties?.get(name);
    if (property !== undefined) return property;
  }
  return undefined;
}

/** Returns the schema that a node has for a member or an item, whatever else there is; undefined if that depends. */
export function certainChild(node: SchemaNode, token: string): SchemaNode | undefined {
  const { properties, patternProperties, additionalProperties, prefixItems, items } = node;
  const declared = properties?.get(token);
  if (declared !== undefined) return declared;
  const item = /^\d+$/.test(token) ? (prefixItems?.[Number(token)] ?? items) : undefined;
  return item ?? (patternProperties === undefined ? additionalProperties : undefined);
}
