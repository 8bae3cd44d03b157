import { edgesOf } from "./edges.ts";
import { emitAssertions, emitProperties } from "./emit-keywords.ts";
import { isLarge, isSmall } from "./emit-size.ts";
import { type Allowance, evaluatedItems, evaluatedProperties } from "./evaluated.ts";
import { type Json, setOwn } from "./json.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/**
 * Why Ajv is not to judge a schema: a number in it is no double, what is unevaluated depends on the
 * value in a way that Ajv gets wrong, or it is so large that Ajv's compiler takes too long or
 * exhausts the stack.
 */
export type InterpreterReason = "numbers" | "unevaluated" | "size";

/** A schema for Ajv's 2020-12 engine, in which every reference is `#/$defs/d…`. */
export interface EmittedSchema {
  readonly schema: Json | boolean;
  readonly needsInterpreter?: InterpreterReason;
}

/** Below this nesting, a schema goes to `$defs`: Ajv's compiler recurses. */
const MAX_INLINE = 48;
/** How many members or branches stand in one schema: Ajv's time grows with the square of it. */
const GROUP = 64;
type Emitted = Json | boolean;

class Emitter {
  unevaluated = false;
  private readonly shared: Set<SchemaNode> = new Set();
  private readonly defs: Map<SchemaNode, string> = new Map();
  private readonly groups: Json = {};
  private readonly allowance: Allowance;

  constructor({ root, nodes }: SchemaGraph) {
    this.allowance = { left: nodes.length * 8 + 10_000 };
    const met = new Set<SchemaNode>([root]);
    const containers = nodes.some((node) => node.unevaluatedItems !== undefined);
    for (const node of nodes) {
      for (const child of edgesOf(node)) {
        if (met.has(child)) this.shared.add(child);
        met.add(child);
      }
      // Written a second time where "unevaluatedItems" asks what it matched.
      if (containers && node.contains !== undefined) this.shared.add(node.contains);
    }
  }

  run(root: SchemaNode): Emitted {
    const schema = this.at(root, 0);
    const defs: Json = {};
    // The map grows while it is walked.
    for (const [node, name] of this.defs) defs[name] = this.body(node, 0);
    Object.assign(defs, this.groups);
    if (typeof schema === "boolean" || Object.keys(defs).length === 0) return schema;
    return { ...schema, $defs: defs };
  }

  /** The node where a schema may stand. */
  private at(node: SchemaNode, depth: number): Emitted {
    if (node.always !== undefined) return node.always;
    const inline = depth < MAX_INLINE && (!this.shared.has(node) || isSmall(node));
    if (inline) return this.body(node, depth);
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
    emitAssertions(node, into);
    this.inPlace(node, into, below);
    this.items(node, into, below);
    this.members(node, into, below);
    for (const keyword of ["additionalProperties", "propertyNames"] as const) {
      const child = node[keyword];
      if (child !== undefined) into[keyword] = below(child);
    }
    return into;
  }

  /** Puts what is too wide into groups, each of them a definition of its own. */
  private grouped<T>(
    node: SchemaNode,
    kind: string,
    all: readonly T[],
    make: (part: readonly T[]) => Json,
  ): Json[] {
    const references: Json[] = [];
    for (let at = 0; at < all.length; at += GROUP) {
      const name = `d${node.id}${kind}${references.length}`;
      this.groups[name] = make(all.slice(at, at + GROUP));
      references.push({ $ref: `#/$defs/${name}` });
    }
    return references;
  }

  private members(node: SchemaNode, into: Json, below: (child: SchemaNode) => Emitted): void {
    const { patternProperties = [] } = node;
    const patterns = patternProperties.map(
      ([{ source }, child]) => [source, below(child)] as const,
    );
    let properties = [...(node.properties ?? [])].map(
      ([name, child]) => [name, below(child)] as const,
    );
    if (properties.length > GROUP) {
      const groups = this.grouped(node, "p", properties, (part) => {
        const group: Json = {};
        emitProperties(part, [], group);
        return group;
      });
      into["allOf"] = [...((into["allOf"] as Emitted[] | undefined) ?? []), ...groups];
      // What is left tells "additionalProperties" the names.
      properties = properties.map(([name]) => [name, true]);
    }
    emitProperties(properties, patterns, into);
  }

  private inPlace(node: SchemaNode, into: Json, below: (child: SchemaNode) => Emitted): void {
    let all = (node.allOf ?? []).map(below);
    if (all.length > GROUP) all = this.grouped(node, "a", all, (part) => ({ allOf: part }));
    for (const target of [node.ref, node.dynamicRef]) {
      if (target !== undefined) all.push(below(target));
    }
    if (node.not !== undefined) {
      if (Object.hasOwn(into, "not")) all.push({ not: below(node.not) });
      else into["not"] = below(node.not);
    }
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const children = node[keyword];
      if (children === undefined) continue;
      const branches = children.map(below);
      into[keyword] =
        keyword === "anyOf" && branches.length > GROUP
          ? this.grouped(node, "b", branches, (part) => ({ anyOf: part }))
          : branches;
    }
    if (node.dependentSchemas !== undefined) {
      const schemas: Json = {};
      for (const [name, child] of node.dependentSchemas) setOwn(schemas, name, below(child));
      into["dependentSchemas"] = schemas;
    }
    if (node.if !== undefined && (node.then !== undefined || node.else !== undefined)) {
      for (const keyword of ["if", "then", "else"] as const) {
        const child = node[keyword];
        if (child !== undefined) into[keyword] = below(child);
      }
    }
    if (node.unevaluatedItems !== undefined) {
      all.push(this.restItems(node, node.unevaluatedItems, below));
    }
    if (node.unevaluatedProperties !== undefined) {
      all.push(this.restProperties(node, node.unevaluatedProperties, below));
    }
    if (all.length > 0) into["allOf"] = all;
  }

  private items(node: SchemaNode, into: Json, below: (child: SchemaNode) => Emitted): void {
    if (node.prefixItems !== undefined && node.prefixItems.length > 0) {
      into["prefixItems"] = node.prefixItems.map(below);
    }
    if (node.items !== undefined) into["items"] = below(node.items);
    if (node.contains !== undefined) into["contains"] = below(node.contains);
  }

  /** `unevaluatedItems` in keywords that look at one schema only. */
  private restItems(
    node: SchemaNode,
    rest: SchemaNode,
    below: (child: SchemaNode) => Emitted,
  ): Emitted {
    const evaluated = evaluatedItems(node, this.allowance);
    if (evaluated === undefined) this.unevaluated = true;
    if (evaluated === undefined || evaluated.all) return true;
    const { prefix, contains } = evaluated;
    const items =
      contains.length === 0 ? below(rest) : { anyOf: [...contains.map(below), below(rest)] };
    if (prefix === 0) return { items };
    return { prefixItems: new Array<boolean>(prefix).fill(true), items };
  }

  /** `unevaluatedProperties` in keywords that look at one schema only. */
  private restProperties(
    node: SchemaNode,
    rest: SchemaNode,
    below: (child: SchemaNode) => Emitted,
  ): Emitted {
    const evaluated = evaluatedProperties(node, this.allowance);
    if (evaluated === undefined) this.unevaluated = true;
    if (evaluated === undefined || evaluated.all) return true;
    const into: Json = {};
    const open = (key: string): [string, boolean] => [key, true];
    emitProperties([...evaluated.names].map(open), [...evaluated.patterns].map(open), into);
    into["additionalProperties"] = below(rest);
    return into;
  }
}

/**
 * Writes a graph as one self-contained 2020-12 schema without identifiers, dynamic references and
 * `unevaluated*`, the same text for the same graph. With `needsInterpreter`, `schema` is `true` and
 * says nothing.
 */
export function emitSchema(graph: SchemaGraph): EmittedSchema {
  if (graph.lossy) return { schema: true, needsInterpreter: "numbers" };
  if (isLarge(graph)) {
    return { schema: true, needsInterpreter: "size" };
  }
  const emitter = new Emitter(graph);
  const schema = emitter.run(graph.root);
  if (emitter.unevaluated) return { schema: true, needsInterpreter: "unevaluated" };
  return { schema };
}
