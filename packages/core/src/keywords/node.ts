import type { Decimal } from "../json/decimal.ts";
import type { ExactDecimals } from "../json/exact.ts";

/** A number in a schema, with its exact value if its text is not a double. */
export interface SchemaNumber {
  readonly value: number;
  readonly exact?: Decimal;
}

/** A value in `const` or `enum`, with the exact values of its numbers that are not doubles. */
export interface SchemaValue {
  readonly value: unknown;
  readonly decimals?: ExactDecimals;
}

/** A regular expression, as its author wrote it. */
export interface SchemaPattern {
  readonly source: string;
}

/** How the author wrote a keyword that has another name or place in the canonical form. */
export interface WrittenKeyword {
  readonly keyword: string;
  /** URI fragment of the keyword in the author's document (`#/properties/a/dependencies`). */
  readonly schemaPath: string;
}

/** Names with a schema each, in the author's order. */
export type NodeMap = ReadonlyMap<string, SchemaNode>;

/**
 * A schema in canonical form: keywords with their 2020-12 names and meaning, whatever its dialect. References are
 * replaced by the nodes that they lead to, so the form is a graph with cycles. Dynamic references are resolved for
 * each dynamic scope that reaches them. An absent keyword requires nothing. Nodes do not change once the graph is
 * built.
 *
 * Each keyword's module declares the member that holds its value.
 */
export interface SchemaNode {
  /** Counts up from 0 in the order in which nodes are found; unique in its graph. */
  readonly id: number;
  /** URI fragment of the schema in the author's document (`#/properties/a`). */
  readonly origin: string;
  /** Set for a boolean schema, and then nothing else is. */
  readonly always?: boolean;
  /** Keywords that the author wrote differently, by canonical keyword. */
  readonly written?: ReadonlyMap<string, WrittenKeyword>;
}

/** A node under construction. */
export type NodeDraft = { -readonly [K in keyof SchemaNode]: SchemaNode[K] };

/** A whole schema in canonical form. */
export interface SchemaGraph {
  readonly root: SchemaNode;
  /** Every node, by its id. */
  readonly nodes: readonly SchemaNode[];
  /** Whether it contains a number that is not a double. If so, values from text are checked exactly. */
  readonly lossy: boolean;
  /** Names of unknown formats, which are not asserted, with a pointer each. */
  readonly unknownFormats: ReadonlyMap<string, string>;
}
