import type { SchemaNode } from "./node.ts";

/** Every node that judges, for some values at least, the same place as the node itself. */
export function inPlace(node: SchemaNode): readonly SchemaNode[] {
  const { ref, dynamicRef, allOf = [], anyOf = [], oneOf = [], dependentSchemas } = node;
  const single = [ref, dynamicRef, node.not, node.if, node.then, node.else];
  return [
    ...single.filter((child) => child !== undefined),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(dependentSchemas?.values() ?? []),
  ];
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
