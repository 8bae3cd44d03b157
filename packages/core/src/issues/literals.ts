import { alwaysInPlace } from "../schema/graph/edges.ts";
import type { SchemaNode } from "../schema/graph/node.ts";

/** References and `allOf` that are followed from one schema. */
const MAX_NODES = 64;

/** The node and those that it applies to the same value whatever that is, at most 64. */
export function alwaysApplied(node: SchemaNode): readonly SchemaNode[] {
  const nodes = new Set([node]);
  for (const one of nodes) {
    if (nodes.size >= MAX_NODES) break;
    for (const next of alwaysInPlace(one)) nodes.add(next);
  }
  return [...nodes].slice(0, MAX_NODES);
}

/** The values that `const` or `enum` of a schema allow, or undefined where it has neither. */
export function literalsOf(node: SchemaNode): readonly unknown[] | undefined {
  for (const { const: only, enum: some } of alwaysApplied(node)) {
    const values = only === undefined ? some : [only];
    if (values === undefined) continue;
    return values.some(({ decimals }) => decimals !== undefined)
      ? undefined
      : values.map(({ value }) => value);
  }
  return undefined;
}

/** The schema that a schema declares for a property. */
export function propertyNode(node: SchemaNode, name: string): SchemaNode | undefined {
  for (const { properties } of alwaysApplied(node)) {
    const property = properties?.get(name);
    if (property !== undefined) return property;
  }
  return undefined;
}
