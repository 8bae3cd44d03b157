import { edgesOf } from "./edges.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/** How much a schema without subschemas may hold to be repeated rather than referred to. */
const SMALL_ENUM = 8;
/** How many schemas Ajv may be given: it takes some tenths of a millisecond for each. */
const MAX_NODES = 2000;
/** How many members or branches one schema may have. */
const MAX_WIDTH = 1000;
/** How many values of `enum`, which Ajv looks through one by one. */
const MAX_ENUM = 1000;
/** How many branches of `oneOf`, which cannot be put in groups. */
const MAX_ONE_OF = 200;

/** How many names `dependentRequired` holds: Ajv writes code for each of them. */
function dependentNames({ dependentRequired }: SchemaNode): number {
  let count = 0;
  for (const names of dependentRequired?.values() ?? []) count += 1 + names.length;
  return count;
}

/** Whether a node is repeated rather than referred to: a call costs more than what it does. */
export function isSmall(node: SchemaNode): boolean {
  if (edgesOf(node).length > 0 || node.const !== undefined) return false;
  return (node.enum?.length ?? 0) <= SMALL_ENUM && (node.required?.length ?? 0) <= SMALL_ENUM;
}

function isWide(node: SchemaNode): boolean {
  return (
    edgesOf(node).length > MAX_WIDTH ||
    (node.oneOf?.length ?? 0) > MAX_ONE_OF ||
    (node.enum?.length ?? 0) > MAX_ENUM ||
    (node.required?.length ?? 0) > MAX_WIDTH ||
    dependentNames(node) > MAX_WIDTH
  );
}

/** Whether a graph is so large that compiling it takes Ajv too long. */
export function isLarge({ nodes }: SchemaGraph): boolean {
  return nodes.length > MAX_NODES || nodes.some(isWide);
}
