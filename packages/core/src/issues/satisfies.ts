import { NO_DECIMALS } from "../json/exact.ts";
import { formatCheck, numberFormatCheck } from "../schema/format/format.ts";
import type { SchemaGraph, SchemaNode } from "../schema/graph/node.ts";
import { isValid } from "../schema/interpret/interpret.ts";
import { compilePattern } from "../schema/pattern/pattern.ts";
import type { Effort } from "./effort.ts";

const graphs = new WeakMap<SchemaNode, SchemaGraph>();

function graphOf(root: SchemaNode): SchemaGraph {
  const known = graphs.get(root);
  if (known !== undefined) return known;
  const graph: SchemaGraph = { root, nodes: [], lossy: false, unknownFormats: new Map() };
  graphs.set(root, graph);
  return graph;
}

/**
 * Whether a small value satisfies the schema of one node. False also where that costs too much to
 * tell; never throws.
 */
export function satisfies(node: SchemaNode, value: unknown, effort: Effort): boolean {
  try {
    return effort.attempt((budget) =>
      isValid(graphOf(node), value, {
        decimals: NO_DECIMALS,
        budget,
        formats: formatCheck,
        numberFormats: numberFormatCheck,
        patterns: compilePattern,
      }),
    );
  } catch {
    return false;
  }
}
