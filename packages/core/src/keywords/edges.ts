import type { SchemaNode } from "./node.ts";

// One list is filled rather than several joined: a hostile schema has many nodes.

function push(into: SchemaNode[], ...nodes: readonly (SchemaNode | undefined)[]): void {
  for (const node of nodes) if (node !== undefined) into.push(node);
}

function pushAll(into: SchemaNode[], nodes: Iterable<SchemaNode> | undefined): void {
  if (nodes !== undefined) for (const node of nodes) into.push(node);
}

function pushAlways(into: SchemaNode[], node: SchemaNode): void {
  push(into, node.ref, node.dynamicRef);
  pushAll(into, node.allOf);
}

function pushSometimes(into: SchemaNode[], node: SchemaNode): void {
  pushAll(into, node.anyOf);
  pushAll(into, node.oneOf);
  push(into, node.if, node.then, node.else);
  pushAll(into, node.dependentSchemas?.values());
}

/** The nodes that judge the same value as the node itself, whatever the value is. */
export function alwaysInPlace(node: SchemaNode): readonly SchemaNode[] {
  const found: SchemaNode[] = [];
  pushAlways(found, node);
  return found;
}

/** The nodes that judge the same value, and whose annotations count, only for some values. */
export function sometimesInPlace(node: SchemaNode): readonly SchemaNode[] {
  const found: SchemaNode[] = [];
  pushSometimes(found, node);
  return found;
}

/** Every node that judges, for some values at least, the same place as the node itself. */
export function inPlace(node: SchemaNode): readonly SchemaNode[] {
  const found: SchemaNode[] = [];
  pushAlways(found, node);
  pushSometimes(found, node);
  push(found, node.not);
  return found;
}

/** The nodes that judge places directly below the node's own, by which places these may be. */
export interface NodesBelow {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Those that may judge a member of any name. */
  readonly anyProperty: readonly SchemaNode[];
  readonly prefixItems: readonly SchemaNode[];
  /** Those that may judge an item at any index. */
  readonly anyItem: readonly SchemaNode[];
  /** Those that judge the names of members. */
  readonly names: readonly SchemaNode[];
}

const NO_PROPERTIES: ReadonlyMap<string, SchemaNode> = new Map();
const NO_NODES: readonly SchemaNode[] = [];

/** Every node that a node applies to members, items or names of members. */
export function below(node: SchemaNode): NodesBelow {
  const anyProperty: SchemaNode[] = [];
  const anyItem: SchemaNode[] = [];
  for (const [, child] of node.patternProperties ?? []) anyProperty.push(child);
  push(anyProperty, node.additionalProperties, node.unevaluatedProperties);
  push(anyItem, node.items, node.contains, node.unevaluatedItems);
  return {
    properties: node.properties ?? NO_PROPERTIES,
    anyProperty,
    prefixItems: node.prefixItems ?? NO_NODES,
    anyItem,
    names: node.propertyNames === undefined ? NO_NODES : [node.propertyNames],
  };
}

/** Every node that a node refers to, once for each place in it. */
export function edgesOf(node: SchemaNode): readonly SchemaNode[] {
  const { properties, anyProperty, prefixItems, anyItem, names } = below(node);
  const found = [...inPlace(node)];
  pushAll(found, properties.values());
  for (const nodes of [anyProperty, prefixItems, anyItem, names]) pushAll(found, nodes);
  return found;
}
