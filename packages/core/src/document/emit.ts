import { edgesOf } from "../keywords/edges.ts";
import type { NodeMap, SchemaGraph, SchemaNode } from "../keywords/node.ts";
import { COUNTS } from "./assertions.ts";
import { type Json, setOwn } from "./json.ts";

/** Keywords whose value is the same in the canonical form. */
const SAME = [...COUNTS, "maxContains", "minContains", "uniqueItems", "format"] as const;
const NUMBERS = [
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
] as const;
const ONE = [
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const LISTS = ["prefixItems", "anyOf", "oneOf"] as const;
const MAPS = ["properties", "dependentSchemas"] as const;

/** Below this nesting, a schema goes to `$defs`. */
const MAX_INLINE = 48;

type Emitted = Json | boolean;

class Emitter {
  private readonly shared: Set<SchemaNode> = new Set();
  private readonly defs: Map<SchemaNode, string> = new Map();

  constructor({ root, nodes }: SchemaGraph) {
    const met = new Set<SchemaNode>([root]);
    for (const node of nodes) {
      for (const child of edgesOf(node)) {
        if (met.has(child)) this.shared.add(child);
        met.add(child);
      }
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

  /** The node where a schema may stand. */
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
    assertions(node, into);
    for (const keyword of ONE) {
      const child = node[keyword];
      if (child !== undefined) into[keyword] = below(child);
    }
    for (const keyword of LISTS) {
      const children = node[keyword];
      if (children !== undefined && children.length > 0) into[keyword] = children.map(below);
    }
    const map = (children: NodeMap): Json => {
      const made: Json = {};
      for (const [name, child] of children) setOwn(made, name, below(child));
      return made;
    };
    for (const keyword of MAPS) {
      const children = node[keyword];
      if (children !== undefined) into[keyword] = map(children);
    }
    if (node.patternProperties !== undefined) {
      const patterns = node.patternProperties.map(
        ([{ source }, child]) => [source, child] as const,
      );
      into["patternProperties"] = map(new Map(patterns));
    }
    const all = (node.allOf ?? []).map(below);
    for (const target of [node.ref, node.dynamicRef]) {
      if (target !== undefined) all.push(below(target));
    }
    if (node.contains !== undefined && node.containsEvaluates !== true) {
      // Up to 2019-09 it evaluates no items; a negation has no annotations.
      const { contains, maxContains, minContains, ...rest } = into;
      const counts = {
        ...(maxContains === undefined ? {} : { maxContains }),
        ...(minContains === undefined ? {} : { minContains }),
      };
      if (node.unevaluatedItems === undefined) Object.assign(rest, { contains, ...counts });
      else all.push({ not: { not: { contains, ...counts } } });
      return all.length > 0 ? { ...rest, allOf: all } : rest;
    }
    if (all.length > 0) into["allOf"] = all;
    return into;
  }
}

/** Writes the keywords of a node that hold no schema. */
function assertions(node: SchemaNode, into: Json): void {
  const { type, required, dependentRequired } = node;
  if (type !== undefined) into["type"] = type.length === 1 ? type[0] : [...type];
  if (node.enum !== undefined) into["enum"] = node.enum.map(({ value }) => value);
  if (node.const !== undefined) into["const"] = node.const.value;
  for (const keyword of SAME) if (node[keyword] !== undefined) into[keyword] = node[keyword];
  for (const keyword of NUMBERS) {
    const number = node[keyword];
    if (number !== undefined) into[keyword] = number.value;
  }
  if (node.pattern !== undefined) into["pattern"] = node.pattern.source;
  if (required !== undefined && required.length > 0) into["required"] = [...required];
  if (dependentRequired === undefined) return;
  const lists: Json = {};
  for (const [name, names] of dependentRequired) setOwn(lists, name, [...names]);
  into["dependentRequired"] = lists;
}

/**
 * Writes a graph as one self-contained 2020-12 schema without identifiers and dynamic references,
 * the same text for the same graph. Numbers that no double holds are the doubles nearest to them.
 */
export function emitSchema(graph: SchemaGraph): Json | boolean {
  return new Emitter(graph).run(graph.root);
}
