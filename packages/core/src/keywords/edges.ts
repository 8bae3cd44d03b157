import { REGISTRY } from "./index.ts";
import type { AppliesWhere } from "./keyword.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/** Visits every node that a node applies, once for each place where it occurs. */
export function forEachApplied(
  node: SchemaNode,
  visit: (schema: SchemaNode, where: AppliesWhere) => void,
): void {
  for (const { name, where, shape } of REGISTRY) {
    const value = where === undefined ? undefined : node[name];
    if (where === undefined || value === undefined) continue;
    for (const schema of shape.schemas?.(value) ?? []) visit(schema, where);
  }
}

// Fills one list instead of joining several: a hostile schema has many nodes.
function those(node: SchemaNode, is: (where: AppliesWhere) => boolean): readonly SchemaNode[] {
  const found: SchemaNode[] = [];
  forEachApplied(node, (schema, where) => {
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
export function isInPlace(where: AppliesWhere | undefined): boolean {
  return where === "always" || where === "sometimes" || where === "not";
}

/** Returns every node that checks the same place as the node itself, at least for some values. */
export function inPlace(node: SchemaNode): readonly SchemaNode[] {
  return those(node, isInPlace);
}

/** Returns the nodes that may check the member or item that a reference token leads to. */
export function childNodes(node: SchemaNode, token: string): readonly SchemaNode[] {
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
export function propertyNameNodes(node: SchemaNode): readonly SchemaNode[] {
  return those(node, (where) => where === "names");
}

/** A node that applies another one, on the way to it. */
interface Entered {
  readonly node: SchemaNode;
  readonly next: readonly SchemaNode[];
  at: number;
}

/** Finds loops among nodes. Visits each node once, without a call stack: a chain may be of any length. */
class Loops {
  readonly #done: Set<SchemaNode> = new Set();
  readonly #nextOf: (node: SchemaNode) => readonly SchemaNode[];

  constructor(nextOf: (node: SchemaNode) => readonly SchemaNode[]) {
    this.#nextOf = nextOf;
  }

  /** Returns a node that applies itself or a node before it on the way from `start`; undefined if none does. */
  from(start: SchemaNode): SchemaNode | undefined {
    const way = new Set<SchemaNode>();
    const open: Entered[] = [];
    const enter = (node: SchemaNode): void => {
      way.add(node);
      open.push({ node, next: this.#nextOf(node), at: 0 });
    };
    if (!this.#done.has(start)) enter(start);
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.next[last.at++];
      if (next === undefined) {
        way.delete(last.node);
        this.#done.add(last.node);
        open.pop();
      } else if (way.has(next)) return last.node;
      else if (!this.#done.has(next)) enter(next);
    }
    return undefined;
  }
}

/**
 * Returns a node by which the root always applies itself, or a schema that always applies itself, to the whole value:
 * no check of any value ends (2020-12 Core, section 9.4.1). Undefined if there is none.
 */
export function certainLoop(root: SchemaNode): SchemaNode | undefined {
  return new Loops(alwaysInPlace).from(root);
}

/**
 * Returns whether a schema of the graph may apply itself to the same value, at any place and for any of its values: a
 * check that gets there does not end.
 */
export function mayLoop({ nodes }: SchemaGraph): boolean {
  const loops = new Loops(inPlace);
  return nodes.some((node) => loops.from(node) !== undefined);
}
