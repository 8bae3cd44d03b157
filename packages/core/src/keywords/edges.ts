import { REGISTRY } from "./index.ts";
import type { Where } from "./keyword.ts";
import type { SchemaNode } from "./node.ts";

/** Visits every node that a node applies, once for each place where it occurs. */
export function eachEdge(
  node: SchemaNode,
  visit: (schema: SchemaNode, where: Where) => void,
): void {
  for (const { name, where, shape } of REGISTRY) {
    const value = where === undefined ? undefined : node[name];
    if (where === undefined || value === undefined) continue;
    for (const schema of shape.schemas?.(value) ?? []) visit(schema, where);
  }
}

// Fills one list instead of joining several: a hostile schema has many nodes.
function those(node: SchemaNode, is: (where: Where) => boolean): readonly SchemaNode[] {
  const found: SchemaNode[] = [];
  eachEdge(node, (schema, where) => {
    if (is(where)) found.push(schema);
  });
  return found;
}

/** Returns the nodes that always check the same value as the node itself. */
export function alwaysInPlace(node: SchemaNode): readonly SchemaNode[] {
  return those(node, (where) => where === "always");
}

/** Returns the nodes that check the same value, and whose annotations count, only for some values. */
export function sometimesInPlace(node: SchemaNode): readonly SchemaNode[] {
  return those(node, (where) => where === "sometimes");
}

/** Returns whether a keyword applies schemas to the value itself. */
export function isInPlace(where: Where | undefined): boolean {
  return where === "always" || where === "sometimes" || where === "not";
}

/** Returns every node that checks the same place as the node itself, at least for some values. */
export function inPlace(node: SchemaNode): readonly SchemaNode[] {
  return those(node, isInPlace);
}

/** Returns the nodes that may check the member or item that a reference token leads to. */
export function nodesBelow(node: SchemaNode, token: string): readonly SchemaNode[] {
  const index = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : undefined;
  const found: SchemaNode[] = [];
  for (const { name, where, shape } of REGISTRY) {
    const value = node[name];
    const own = where === "members" ? token : where === "items" ? index : undefined;
    if (value === undefined || own === undefined) continue;
    if (shape.at === undefined) found.push(...(shape.schemas?.(value) ?? []));
    else {
      const schema = shape.at(value, own);
      if (schema !== undefined) found.push(schema);
    }
  }
  return found;
}

/** Returns the nodes that check the names of members. */
export function namesOf(node: SchemaNode): readonly SchemaNode[] {
  return those(node, (where) => where === "names");
}
