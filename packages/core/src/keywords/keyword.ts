import type { Decimal } from "../json/decimal.ts";
import type { Rule } from "../result.ts";
import type { Dialect } from "./dialect.ts";
import type { KeywordExplanation } from "./explain.ts";
import type { NodeDraft, SchemaNode } from "./node.ts";
import type { Budget, KeywordCheck } from "./run.ts";
import type { KeywordShape, SchemaReader, SubschemaHolding } from "./shape.ts";

/** A compiled regular expression. It spends its own steps. */
export interface PatternTest {
  test(text: string, budget: Budget): boolean;
}

/** A subschema, ready for a keyword to apply. */
export interface AppliedSchema {
  /** Compiles the schema on its first call. */
  check: KeywordCheck;
  /** Set for a boolean schema. */
  readonly always: boolean | undefined;
  /** What a schema with one `type` and no other keyword tests: see {@link PLAIN_TYPE}. */
  readonly plain: PlainType;
}

/**
 * Schemas with only a `type`. Most tool properties are of this kind, and loops over members and items test them
 * inline (`npm run bench:engine`).
 */
export const PLAIN_TYPE = {
  NONE: 0,
  ANY: 1,
  STRING: 2,
  INTEGER: 3,
  NUMBER: 4,
  BOOLEAN: 5,
} as const;
export type PlainType = (typeof PLAIN_TYPE)[keyof typeof PLAIN_TYPE];

/** What keywords need to compile. */
export interface CompileContext {
  apply(node: SchemaNode): AppliedSchema;
  /** Returns the check of a text format; undefined if it asserts nothing. */
  format(name: string): ((text: string) => boolean) | undefined;
  /** Returns the check of a number format; undefined if it asserts nothing. */
  numberFormat(name: string): ((value: number, exact?: Decimal) => boolean) | undefined;
  pattern(source: string): PatternTest;
}

/** The type of JSON value that a keyword checks. Values of other types pass. */
export interface KeywordType {
  readonly any: unknown;
  readonly number: number;
  readonly string: string;
  readonly array: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
}
export type AppliesTo = keyof KeywordType;

/**
 * The vocabularies whose keywords change a verdict (2020-12 Core, section 8.1.2). `policy` is our own, and
 * metaschemas cannot request it.
 */
export type VocabularyName =
  | "core"
  | "applicator"
  | "unevaluated"
  | "validation"
  | "format"
  | "policy";

/** A keyword as authors may write it. */
export interface KeywordSpelling {
  readonly name: string;
  readonly vocabulary: VocabularyName;
  /** The first dialect that has it. */
  readonly since: Dialect;
  /** The last dialect that has it; undefined if that is the newest. */
  readonly until?: Dialect;
  readonly holds?: SubschemaHolding;
  /** Where schemas under this name are applied; undefined if they are not. */
  readonly where?: AppliesWhere;
  /** The class of issues under this name, if it differs from the keyword's. */
  readonly issueClass?: Rule;
}

/**
 * Where a keyword applies its schemas: to the value itself (always, for some values, or negated), or to its members,
 * its items, or the names of its members.
 */
export type AppliesWhere = "always" | "sometimes" | "not" | "members" | "items" | "names";

/** The members of a node that are not the value of a keyword. */
type Other = "id" | "origin" | "always" | "written" | "exactCounts" | "containsEvaluates";
export type KeywordName = Exclude<keyof SchemaNode, Other>;

/** The declaration of a keyword. */
export interface KeywordDeclaration<N extends KeywordName, A extends AppliesTo> {
  /** Its name in 2020-12, which is also the name of the node member that holds its value. */
  readonly name: N;
  /** Its vocabulary in 2020-12. It is `core` for a keyword that only annotates, which is always read. */
  readonly vocabulary: VocabularyName;
  /** The first dialect that uses this name. */
  readonly since: Dialect;
  /** Its other spellings in older dialects. */
  readonly older?: readonly KeywordSpelling[];
  readonly shape: KeywordShape<NonNullable<SchemaNode[N]>>;
  /** Where its schemas are applied. */
  readonly where?: AppliesWhere;
  /** The keyword without which it has no meaning. That one comes first in the registry. */
  readonly beside?: KeywordName;
  readonly appliesTo: A;
  /** The class of its issues. Default `value`. */
  readonly issueClass?: Rule;
  /** What is known about its issues. */
  readonly explain?: KeywordExplanation;
  /** Fills in a node, if the shape alone does not define how. @throws SchemaFaultError */
  read?(node: NodeDraft, from: SchemaReader): void;
  /** Writes it into a 2020-12 schema, if the shape alone does not define how. */
  write?(
    node: SchemaNode,
    into: Record<string, unknown>,
    below: (schema: SchemaNode) => unknown,
  ): void;
  /** Returns the work to compile it without the schemas that it applies, in units of about a microsecond. */
  cost?(node: SchemaNode): number;
  /**
   * Returns whether the keyword can be skipped if only the verdict is needed: `properties` checks it too, or all values
   * pass.
   */
  isIdle?(node: SchemaNode): boolean;
  /**
   * Creates the check for a schema that has the keyword; returns undefined if it can never fail or annotate there.
   * Absent if that is always so, or if the engine itself checks it (`type`).
   */
  compile?(node: SchemaNode, context: CompileContext): KeywordCheck<KeywordType[A]> | undefined;
}

/** Everything that is known about a keyword. */
export type Keyword = Omit<KeywordDeclaration<KeywordName, AppliesTo>, "shape" | "compile"> & {
  readonly shape: KeywordShape<unknown>;
  compile?(node: SchemaNode, context: CompileContext): KeywordCheck | undefined;
};

/** Declares a keyword. Its check only sees values of the type that it applies to. */
export function keyword<N extends KeywordName, A extends AppliesTo>(
  declared: KeywordDeclaration<N, A>,
): Keyword {
  return declared as unknown as Keyword;
}
