import type { Decimal } from "../json/decimal.ts";
import type { Decimals } from "../json/exact.ts";

/** A number in a schema, with its exact value if its text is not a double. */
export interface SchemaNumber {
  readonly value: number;
  readonly exact?: Decimal;
}

/** A value in `const` or `enum`, with the exact values of the numbers in it that are not doubles. */
export interface SchemaValue {
  readonly value: unknown;
  readonly decimals?: Decimals;
}

/** A regular expression, as its author wrote it. */
export interface SchemaPattern {
  readonly source: string;
}

/** How the author wrote a keyword that the canonical form has under another name or place. */
export interface WrittenKeyword {
  readonly keyword: string;
  /** URI fragment of the keyword in the author's document (`#/properties/a/dependencies`). */
  readonly schemaPath: string;
}

/** Names with a schema each, in the author's order. */
export type NodeMap = ReadonlyMap<string, SchemaNode>;

/**
 * A schema in canonical form: the keywords of 2020-12 with their meaning there, whatever the
 * dialect it was written in. References are the nodes that they lead to, so that the form is a
 * graph, with cycles; dynamic references are resolved for each dynamic scope that reaches them. A
 * keyword that is absent requires nothing. Nodes are not changed once the graph is built.
 *
 * Each keyword's module declares the member that holds its value.
 */
export interface SchemaNode {
  /** Counts up from 0 in the order in which nodes were met; unique in its graph. */
  readonly id: number;
  /** URI fragment of the schema in the author's document (`#/properties/a`). */
  readonly origin: string;
  /** Set for a boolean schema: nothing else is then. */
  readonly always?: boolean;
  /** By canonical keyword, those that the author wrote otherwise. */
  readonly written?: ReadonlyMap<string, WrittenKeyword>;
}

/** A node while it is made. */
export type Draft = { -readonly [K in keyof SchemaNode]: SchemaNode[K] };

/** A whole schema in canonical form. */
export interface SchemaGraph {
  readonly root: SchemaNode;
  /** Every node, by its id. */
  readonly nodes: readonly SchemaNode[];
  /** Whether some number in it is not a double: then values from text are checked exactly. */
  readonly lossy: boolean;
  /** Names of formats that are asserted nowhere because nobody knows them, with a pointer each. */
  readonly unknownFormats: ReadonlyMap<string, string>;
}
