import { satisfiesNode } from "../../engine/engine.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import type { Effort } from "./effort.ts";

/**
 * Whether a small value satisfies the schema of one node. Also false if that costs too much to
 * tell; never throws.
 */
export function satisfies(node: SchemaNode, value: unknown, effort: Effort): boolean {
  try {
    return effort.attempt((budget) => satisfiesNode(node, value, budget));
  } catch {
    return false;
  }
}
