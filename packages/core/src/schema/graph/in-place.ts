import type { SchemaNode } from "./node.ts";

/** The nodes that judge the same value as the node itself, whatever the value is. */
export function alwaysInPlace(node: SchemaNode): readonly SchemaNode[] {
  return [node.ref, node.dynamicRef, ...(node.allOf ?? [])].filter((child) => child !== undefined);
}

/** The nodes that judge the same value, and whose annotations count, only for some values. */
export function sometimesInPlace(node: SchemaNode): readonly SchemaNode[] {
  const { anyOf = [], oneOf = [], dependentSchemas } = node;
  const branches = [node.if, node.then, node.else].filter((child) => child !== undefined);
  return [...anyOf, ...oneOf, ...branches, ...(dependentSchemas?.values() ?? [])];
}

/** Every node that a node refers to, once for each place in it. */
export function edgesOf(node: SchemaNode): readonly SchemaNode[] {
  const single = [
    node.not,
    node.items,
    node.contains,
    node.additionalProperties,
    node.propertyNames,
    node.unevaluatedItems,
    node.unevaluatedProperties,
  ];
  return [
    ...alwaysInPlace(node),
    ...sometimesInPlace(node),
    ...single.filter((child) => child !== undefined),
    ...(node.prefixItems ?? []),
    ...(node.properties?.values() ?? []),
    ...(node.patternProperties?.map(([, child]) => child) ?? []),
  ];
}
