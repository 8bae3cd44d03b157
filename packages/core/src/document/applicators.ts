import { escapePointer } from "../json/pointer.ts";
import type { SchemaNode, SchemaPattern } from "../keywords/node.ts";
import { addCount, type Draft, noteWritten } from "./assertions.ts";
import { isJson } from "./json.ts";
import type { Keywords } from "./schema-reader.ts";

/** Makes nodes. */
export interface NodeMaker {
  /** The node of a subschema, by the reference tokens that lead to it. */
  below(value: boolean | object, tokens: readonly string[]): SchemaNode;
  /** A further node for the same place. */
  beside(): Draft;
}

const SINGLE = [
  "contains",
  "additionalProperties",
  "propertyNames",
  "not",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;

/** Fills in the keywords that hold schemas (2020-12 Core, sections 10 and 11). */
export class Applicators {
  private readonly node: Draft;
  private readonly from: Keywords;
  private readonly make: NodeMaker;

  constructor(node: Draft, from: Keywords, make: NodeMaker) {
    this.node = node;
    this.from = from;
    this.make = make;
  }

  /** @param isPattern see {@link Keywords.pattern} */
  add(isPattern: (source: string) => boolean): void {
    const { node, from } = this;
    for (const keyword of SINGLE) {
      const child = this.single(keyword);
      if (child !== undefined) node[keyword] = child;
    }
    for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
      const children = this.list(keyword);
      if (children !== undefined) node[keyword] = children;
    }
    for (const keyword of ["properties", "dependentSchemas"] as const) {
      const children = this.map(keyword);
      if (children !== undefined) node[keyword] = children;
    }
    const patterned = this.map("patternProperties");
    if (patterned !== undefined) {
      node.patternProperties = [...patterned].map(
        ([source, child]): readonly [SchemaPattern, SchemaNode] => {
          const tokens = `patternProperties/${escapePointer(source)}`;
          return [from.pattern(source, isPattern, tokens), child];
        },
      );
    }
    this.conditions();
    this.items();
    this.contained();
    this.required();
  }

  private schema(value: unknown, ...tokens: readonly string[]): SchemaNode {
    if (isJson(value) || typeof value === "boolean") return this.make.below(value, tokens);
    throw this.from.wrong(tokens.map(escapePointer).join("/"), "must be object,boolean");
  }

  private single(keyword: string): SchemaNode | undefined {
    const value = this.from.value(keyword);
    return value === undefined ? undefined : this.schema(value, keyword);
  }

  private list(keyword: string): readonly SchemaNode[] | undefined {
    return this.from.list(keyword)?.map((value, i) => this.schema(value, keyword, String(i)));
  }

  private map(keyword: string): Map<string, SchemaNode> | undefined {
    const map = this.from.map(keyword);
    if (map === undefined) return undefined;
    return new Map(
      Object.entries(map).map(([name, value]) => [name, this.schema(value, keyword, name)]),
    );
  }

  private conditions(): void {
    const { node } = this;
    const condition = this.single("if");
    // Without it the two others mean nothing (2020-12 Core, section 10.2.2).
    if (condition === undefined) return;
    node.if = condition;
    for (const keyword of ["then", "else"] as const) {
      const child = this.single(keyword);
      if (child !== undefined) node[keyword] = child;
    }
  }

  private items(): void {
    const { node, from } = this;
    const prefix = this.list("prefixItems");
    if (prefix !== undefined) node.prefixItems = prefix;
    const items = from.value("items");
    if (Array.isArray(items) && from.place.resource.vocabulary.dialect !== "2020-12") {
      node.prefixItems = this.list("items") ?? [];
      noteWritten(node, "prefixItems", "items");
      // Only beside a list (2019-09 Core, section 9.3.1.2).
      const rest = this.single("additionalItems");
      if (rest === undefined) return;
      node.items = rest;
      noteWritten(node, "items", "additionalItems");
    } else if (items !== undefined) node.items = this.schema(items, "items");
  }

  private contained(): void {
    const { node, from } = this;
    if (node.contains === undefined) return;
    for (const keyword of ["maxContains", "minContains"] as const) addCount(node, from, keyword);
    if (from.place.resource.vocabulary.dialect === "2020-12") node.containsEvaluates = true;
  }

  /** `dependentRequired`, and `dependencies` of both kinds (draft-07 Validation, section 6.5.7). */
  private required(): void {
    const { node, from } = this;
    const lists = from.map("dependentRequired");
    if (lists !== undefined) {
      node.dependentRequired = new Map(
        Object.entries(lists).map(([name, value]) => [
          name,
          from.names(value, "dependentRequired", escapePointer(name)),
        ]),
      );
    }
    const both = from.map("dependencies");
    if (both === undefined) return;
    const names = new Map<string, readonly string[]>();
    const schemas = new Map<string, SchemaNode>();
    for (const [name, value] of Object.entries(both)) {
      if (Array.isArray(value)) {
        names.set(name, from.names(value, "dependencies", escapePointer(name)));
      } else schemas.set(name, this.schema(value, "dependencies", name));
    }
    // Beside the newer keywords it stands in a schema of its own, which is in the same place.
    const into = this.target(node, names, schemas);
    if (names.size > 0) {
      into.dependentRequired = names;
      noteWritten(into, "dependentRequired", "dependencies");
    }
    if (schemas.size > 0) {
      into.dependentSchemas = schemas;
      noteWritten(into, "dependentSchemas", "dependencies");
    }
  }

  private target(
    node: Draft,
    names: ReadonlyMap<string, unknown>,
    schemas: ReadonlyMap<string, unknown>,
  ): Draft {
    const clash =
      (names.size > 0 && node.dependentRequired !== undefined) ||
      (schemas.size > 0 && node.dependentSchemas !== undefined);
    if (!clash) return node;
    const made = this.make.beside();
    node.allOf = [...(node.allOf ?? []), made];
    return made;
  }
}
