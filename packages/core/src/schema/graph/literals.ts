import { alwaysInPlace, sometimesInPlace } from "./edges.ts";
import type { SchemaNode } from "./node.ts";

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

/**
 * {@link alwaysApplied}, and behind them those whose annotations may count for the same value: the
 * branches of `anyOf`, `oneOf` and `if`, and dependent schemas. At most 64.
 */
export function everApplied(node: SchemaNode): readonly SchemaNode[] {
  const nodes = new Set(alwaysApplied(node));
  for (const one of nodes) {
    if (nodes.size >= MAX_NODES) break;
    for (const next of alwaysInPlace(one)) nodes.add(next);
    for (const next of sometimesInPlace(one)) nodes.add(next);
  }
  return [...nodes].slice(0, MAX_NODES);
}

/** The values that each node allows by itself; an enum may be long, and be asked for often. */
const known = new WeakMap<SchemaNode, readonly unknown[] | "inexact">();

/**
 * The values that `const` or `enum` of one node allow: undefined where it has neither, `inexact`
 * where one is a number of the schema's text that no double holds, and would be told as another.
 */
export function ownLiterals(node: SchemaNode): readonly unknown[] | "inexact" | undefined {
  const { const: only, enum: some } = node;
  const values = only === undefined ? some : [only];
  if (values === undefined) return undefined;
  const before = known.get(node);
  if (before !== undefined) return before;
  const isInexact = [only, ...(some ?? [])].some((each) => each?.decimals !== undefined);
  const literals = isInexact ? "inexact" : values.map(({ value }) => value);
  known.set(node, literals);
  return literals;
}

/** The values that `const` or `enum` of a schema allow, or undefined where it has neither. */
export function literalsOf(node: SchemaNode): readonly unknown[] | undefined {
  for (const one of alwaysApplied(node)) {
    const literals = ownLiterals(one);
    if (literals !== undefined) return literals === "inexact" ? undefined : literals;
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
