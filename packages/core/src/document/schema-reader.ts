import { exceededPatternLimit } from "../engine/pattern/parse.ts";
import { type ExactTree, exactSubtree } from "../json/exact-tree.ts";
import { escapePointer } from "../json/pointer.ts";
import type { Dialect } from "../keywords/dialect.ts";
import type { NodeDraft, SchemaNode, SchemaPattern } from "../keywords/node.ts";
import type { SchemaReader } from "../keywords/shape.ts";
import { SchemaFaultError } from "./fault.ts";
import { isJson, type Json } from "./json.ts";
import { describePointer, faultPath, type SchemaPlace } from "./place.ts";
import { keywordOf, refHidesSiblings } from "./vocabulary.ts";

/** What a reader needs from the builder of the graph. */
export interface NodeSource {
  /** Returns the node of a subschema, by the reference tokens that lead to it. */
  below(value: Json | boolean, tokens: readonly string[]): SchemaNode;
  /** Returns another node for the same place. */
  beside(): NodeDraft;
  /** Returns the target of a reference. @param keyword that has it */
  referred(reference: string, keyword: string, isDynamic: boolean): SchemaNode;
  isPattern(source: string): boolean;
  /** Returns the name under which a format is checked; undefined if nothing is asserted. */
  format(name: string): string | undefined;
}

/** Reads the keywords of the schema at a place. */
export class PlaceReader implements SchemaReader {
  readonly dialect: Dialect;
  private readonly place: SchemaPlace;
  private readonly source: NodeSource;
  private readonly known: Map<string, unknown> = new Map();

  constructor(place: SchemaPlace, schema: Json, source: NodeSource) {
    this.place = place;
    this.source = source;
    const { vocabulary } = place.resource;
    this.dialect = vocabulary.dialect;
    for (const keyword of Object.keys(schema)) {
      if (keywordOf(vocabulary, keyword) !== undefined) this.known.set(keyword, schema[keyword]);
    }
    const reference = this.known.get("$ref");
    if (reference !== undefined && refHidesSiblings(vocabulary)) {
      this.known.clear();
      this.known.set("$ref", reference);
    }
  }

  value(keyword: string): unknown {
    return this.known.get(keyword);
  }

  exact(...tokens: readonly string[]): ExactTree | undefined {
    let { exact } = this.place;
    for (const token of tokens) exact = exactSubtree(exact, token);
    return exact;
  }

  schema(value: unknown, ...tokens: readonly string[]): SchemaNode {
    if (isJson(value) || typeof value === "boolean") return this.source.below(value, tokens);
    throw this.wrong("must be an object or a boolean", ...tokens);
  }

  beside(): NodeDraft {
    return this.source.beside();
  }

  reference(keyword: string): SchemaNode | undefined {
    return this.refer(keyword, false);
  }

  dynamicReference(keyword: string): SchemaNode | undefined {
    return this.refer(keyword, true);
  }

  private refer(keyword: string, isDynamic: boolean): SchemaNode | undefined {
    const reference = this.value(keyword);
    if (reference === undefined) return undefined;
    if (typeof reference !== "string") throw this.wrong("must be a string", keyword);
    return this.source.referred(reference, keyword, isDynamic);
  }

  pattern(source: string, ...tokens: readonly string[]): SchemaPattern {
    if (this.source.isPattern(source)) return { source };
    const shown = source.length > 80 ? `${source.slice(0, 80)}…` : source;
    const pointer = this.pointer(tokens);
    const excess = exceededPatternLimit(source);
    const text =
      excess === undefined
        ? "is not a regular expression (ECMA-262)"
        : `is not used as a pattern: ${excess}`;
    throw new SchemaFaultError(
      "invalid_pattern",
      `${JSON.stringify(shown)} at ${describePointer(this.place, pointer)} ${text}`,
      faultPath(this.place, pointer),
    );
  }

  format(name: string): string | undefined {
    return this.source.format(name);
  }

  written(node: NodeDraft, canonical: string, keyword: string): void {
    const written = {
      keyword,
      get schemaPath(): string {
        return `${node.origin}/${keyword}`;
      },
    };
    node.written = new Map([...(node.written ?? []), [canonical, written]]);
  }

  wrong(message: string, ...tokens: readonly string[]): SchemaFaultError {
    const pointer = this.pointer(tokens);
    const path = faultPath(this.place, pointer);
    const where = describePointer(this.place, pointer);
    return new SchemaFaultError({
      code: "metaschema",
      message: `not valid JSON Schema ${this.dialect}: ${where} ${message}`,
      path,
      details: [{ code: "metaschema", message, path }],
    });
  }

  private pointer(tokens: readonly string[]): string {
    return `${this.place.pointer}/${tokens.map(escapePointer).join("/")}`;
  }
}
