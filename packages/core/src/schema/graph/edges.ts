import type { SchemaNode } from "./node.ts";

/** The nodes that judge the same value as the node itself, whatever the value is. */
export function alwaysInPlace(node: SchemaNode): readonly SchemaNode[] {
  return present(node.ref, node.dynamicRef, ...(node.allOf ?? []));
}

/** The nodes that judge the same value, and whose annotations count, only for some values. */
export function sometimesInPlace(node: SchemaNode): readonly SchemaNode[] {
  const { anyOf = [], oneOf = [], dependentSchemas } = node;
  const branches = present(node.if, node.then, node.else);
  return [...anyOf, ...oneOf, ...branches, ...(dependentSchemas?.values() ?? [])];
}

/** Every node that judges, for some values at least, the same place as the node itself. */
export function inPlace(node: SchemaNode): readonly SchemaNode[] {
  return [...alwaysInPlace(node), ...sometimesInPlace(node), ...present(node.not)];
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

function present(...nodes: readonly (SchemaNode | undefined)[]): readonly SchemaNode[] {
  return nodes.filter((node) => node !== undefined);
}

/** Every node that a node applies to members, items or names of members. */
export function below(node: SchemaNode): NodesBelow {
  const patterned = node.patternProperties?.map(([, child]) => child) ?? [];
  return {
    properties: node.properties ?? NO_PROPERTIES,
    anyProperty: [...patterned, ...present(node.additionalProperties, node.unevaluatedProperties)],
    prefixItems: node.prefixItems ?? [],
    anyItem: present(node.items, node.contains, node.unevaluatedItems),
    names: present(node.propertyNames),
  };
}

/** Every node that a node refers to, once for each place in it. */
export function edgesOf(node: SchemaNode): readonly SchemaNode[] {
  const { properties, anyProperty, prefixItems, anyItem, names } = below(node);
  return [
    ...inPlace(node),
    ...properties.values(),
    ...anyProperty,
    ...prefixItems,
    ...anyItem,
    ...names,
  ];
}
