import type { Decimal } from "../json/decimal.ts";
import type { Decimals } from "../json/exact.ts";
import type { TypeName } from "./type-name.ts";

/** A number in a schema, with its exact value where its text is no double. */
export interface SchemaNumber {
  readonly value: number;
  readonly exact?: Decimal;
}

/** A value in `const` or `enum`, with the exact values of the numbers in it that are no doubles. */
export interface SchemaValue {
  readonly value: unknown;
  readonly decimals?: Decimals;
}

/** A regular expression of `pattern` or `patternProperties`, as its author wrote it. */
export interface SchemaPattern {
  readonly source: string;
}

/** How the author wrote a keyword that the canonical form has under another name or place. */
export interface WrittenKeyword {
  readonly keyword: string;
  /** URI fragment of the keyword in the author's document (`#/properties/a/dependencies`). */
  readonly schemaPath: string;
}

/** The keywords whose value is a count of what a value has. */
export type CountKeyword =
  | "maxLength"
  | "minLength"
  | "maxItems"
  | "minItems"
  | "maxProperties"
  | "minProperties"
  | "maxContains"
  | "minContains";

/** Names with a schema each, in the author's order. */
export type NodeMap = ReadonlyMap<string, SchemaNode>;

/**
 * A schema in canonical form: the keywords of 2020-12 with their meaning there, whatever the
 * dialect it was written in. References are the nodes that they lead to, so that the form is a
 * graph, with cycles; dynamic references are resolved for each dynamic scope that reaches them. A
 * keyword that is absent asks for nothing. Nodes are not changed once the graph is built.
 */
export interface SchemaNode {
  /** Counts up from 0 in the order in which nodes were met; unique in its graph. */
  readonly id: number;
  /** URI fragment of the schema in the author's document (`#/properties/a`). */
  readonly origin: string;
  /** Set for a boolean schema: nothing else is then. */
  readonly always?: boolean;

  readonly ref?: SchemaNode;
  /** What `$dynamicRef` or `$recursiveRef` leads to from here. */
  readonly dynamicRef?: SchemaNode;

  readonly type?: readonly TypeName[];
  readonly enum?: readonly SchemaValue[];
  readonly const?: SchemaValue;

  /** The author's `title` and `default`, which judge nothing (2020-12 Validation, section 9). */
  readonly title?: string;
  readonly default?: SchemaValue;

  readonly multipleOf?: SchemaNumber;
  readonly maximum?: SchemaNumber;
  readonly exclusiveMaximum?: SchemaNumber;
  readonly minimum?: SchemaNumber;
  readonly exclusiveMinimum?: SchemaNumber;

  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: SchemaPattern;
  /** A format that is known and asserted. */
  readonly format?: string;

  readonly prefixItems?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly contains?: SchemaNode;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  /** Only beside `contains`. */
  readonly maxContains?: number;
  readonly minContains?: number;

  readonly properties?: NodeMap;
  readonly patternProperties?: readonly (readonly [SchemaPattern, SchemaNode])[];
  readonly additionalProperties?: SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: NodeMap;

  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;

  readonly unevaluatedItems?: SchemaNode;
  readonly unevaluatedProperties?: SchemaNode;
  /**
   * Whether items that `contains` matches count as evaluated: from 2020-12 on they do (Core,
   * section 11.2).
   */
  readonly containsEvaluates?: boolean;

  /** The digits of the counts that no double holds. */
  readonly exactCounts?: ReadonlyMap<CountKeyword, string>;

  /** By canonical keyword, those that the author wrote otherwise. */
  readonly written?: ReadonlyMap<string, WrittenKeyword>;
}

/** A whole schema in canonical form. */
export interface SchemaGraph {
  readonly root: SchemaNode;
  /** Every node, by its id. */
  readonly nodes: readonly SchemaNode[];
  /** Whether some number in it is no double: then values from text are judged exactly. */
  readonly lossy: boolean;
  /** Names of formats that are asserted nowhere because nobody knows them, with a pointer each. */
  readonly unknownFormats: ReadonlyMap<string, string>;
}
