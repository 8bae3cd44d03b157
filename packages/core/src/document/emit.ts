import { forEachApplied } from "../keywords/edges.ts";
import { REGISTRY } from "../keywords/index.ts";
import type { SchemaGraph, SchemaNode } from "../keywords/node.ts";
import type { Json } from "./json.ts";

/** Deeper schemas go to `$defs`. */
const MAX_INLINE = 48;

type Emitted = Json | boolean;

class Emitter {
  private readonly shared: Set<SchemaNode> = new Set();
  private readonly defs: Map<SchemaNode, string> = new Map();

  constructor({ root, nodes }: SchemaGraph) {
    const met = new Set<SchemaNode>([root]);
    for (const node of nodes) {
      forEachApplied(node, (child) => {
        if (met.has(child)) this.shared.add(child);
        met.add(child);
      });
    }
  }

  run(root: SchemaNode): Emitted {
    const schema = this.at(root, 0);
    const defs: Json = {};
    // The map grows while it is walked.
    for (const [node, name] of this.defs) defs[name] = this.body(node, 0);
    if (typeof schema === "boolean" || this.defs.size === 0) return schema;
    return { ...schema, $defs: defs };
  }

  /** Returns the schema of a node for a place that may hold a schema: a reference if the node is shared or deep. */
  private at(node: SchemaNode, depth: number): Emitted {
    if (node.always !== undefined) return node.always;
    if (depth < MAX_INLINE && !this.shared.has(node)) return this.body(node, depth);
    let name = this.defs.get(node);
    if (name === undefined) {
      name = `d${node.id}`;
      this.defs.set(node, name);
    }
    return { $ref: `#/$defs/${name}` };
  }

  private body(node: SchemaNode, depth: number): Emitted {
    if (node.always !== undefined) return node.always;
    const into: Json = {};
    const below = (child: SchemaNode): Emitted => this.at(child, depth + 1);
    for (const keyword of REGISTRY) {
      const value = node[keyword.name];
      if (value === undefined) continue;
      if (keyword.write !== undefined) keyword.write(node, into, below);
      else {
        const written = keyword.shape.write(value, below);
        if (written !== undefined) into[keyword.name] = written;
      }
    }
    return into;
  }
}

/**
 * Writes a graph as one self-contained 2020-12 schema without identifiers and dynamic references: the same text for
 * the same graph. Numbers that do not fit a double become the nearest doubles.
 */
export function emitSchema(graph: SchemaGraph): Json | boolean {
  return new Emitter(graph).run(graph.root);
}
