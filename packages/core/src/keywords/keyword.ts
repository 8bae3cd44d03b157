import type { Decimal } from "../json/decimal.ts";
import type { Rule } from "../result.ts";
import type { Dialect } from "./dialect.ts";
import type { Explained } from "./explain.ts";
import type { Draft, SchemaNode } from "./node.ts";
import type { Budget, Check } from "./run.ts";
import type { Holding, SchemaReader, Shape } from "./shape.ts";

/** A compiled regular expression. It spends its own steps. */
export interface PatternTest {
  test(text: string, budget: Budget): boolean;
}

/** A subschema as a keyword applies it. */
export interface Applied {
  /** Compiles the schema on its first call. */
  check: Check;
  /** Set for a boolean schema. */
  readonly always: boolean | undefined;
  /** What a schema tests that has one `type` and no other keyword: see {@link PLAIN}. */
  readonly plain: Plain;
}

/**
 * Schemas that only have a `type`. Most properties of tools are of this kind, and loops over members
 * and items test them in place (`npm run bench:engine`).
 */
export const PLAIN = { NONE: 0, ANY: 1, STRING: 2, INTEGER: 3, NUMBER: 4, BOOLEAN: 5 } as const;
export type Plain = (typeof PLAIN)[keyof typeof PLAIN];

/** What keywords need for their compilation. */
export interface CompileContext {
  apply(node: SchemaNode): Applied;
  /** The check of a format of texts; undefined if it asserts nothing. */
  format(name: string): ((text: string) => boolean) | undefined;
  /** The check of a format of numbers; undefined if it asserts nothing. */
  numberFormat(name: string): ((value: number, exact?: Decimal) => boolean) | undefined;
  pattern(source: string): PatternTest;
}

/** The type of JSON value that a keyword is about. Others satisfy it. */
export interface TypeOf {
  readonly any: unknown;
  readonly number: number;
  readonly string: string;
  readonly array: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
}
export type AppliesTo = keyof TypeOf;

/**
 * The vocabularies whose keywords change a verdict (2020-12 Core, section 8.1.2). `policy` is of our own, and no
 * metaschema can ask for it.
 */
export type VocabularyName =
  | "core"
  | "applicator"
  | "unevaluated"
  | "validation"
  | "format"
  | "policy";

/** A keyword as authors may write it. */
export interface Spelling {
  readonly name: string;
  readonly vocabulary: VocabularyName;
  /** The first dialect that has it. */
  readonly since: Dialect;
  /** The last one; undefined if that is the newest. */
  readonly until?: Dialect;
  readonly holds?: Holding;
  /** Where schemas under this name are applied; undefined if they are not. */
  readonly where?: Where;
  /** The class of issues that are raised under this name, if it is not the keyword's. */
  readonly issueClass?: Rule;
}

/**
 * Where a keyword applies its schemas: to the value itself, always, for some values, or to negate the
 * result; or to its members, its items, or the names of its members.
 */
export type Where = "always" | "sometimes" | "not" | "members" | "items" | "names";

/** The members of a node that are not the value of a keyword. */
type Other = "id" | "origin" | "always" | "written" | "exactCounts" | "containsEvaluates";
export type KeywordName = Exclude<keyof SchemaNode, Other>;

/** What a keyword is declared by. */
export interface Declaration<N extends KeywordName, A extends AppliesTo> {
  /** Its name in 2020-12, and that of the member of a node that holds its value. */
  readonly name: N;
  /** The vocabulary that has it in 2020-12. One that only annotates is `core`: it is always read. */
  readonly vocabulary: VocabularyName;
  /** The first dialect in which authors write it under this name. */
  readonly since: Dialect;
  /** How older dialects write it otherwise. */
  readonly older?: readonly Spelling[];
  readonly shape: Shape<NonNullable<SchemaNode[N]>>;
  /** Where its schemas are applied. */
  readonly where?: Where;
  /** The keyword without which it means nothing. That one comes first in the registry. */
  readonly beside?: KeywordName;
  readonly appliesTo: A;
  /** The class of its issues. Default `value`. */
  readonly issueClass?: Rule;
  /** What is known of its issues. */
  readonly explain?: Explained;
  /** Fills in a node, if its shape alone does not say how. @throws FaultError */
  read?(node: Draft, from: SchemaReader): void;
  /** Writes it into a schema of 2020-12, if its shape alone does not say how. */
  write?(
    node: SchemaNode,
    into: Record<string, unknown>,
    below: (schema: SchemaNode) => unknown,
  ): void;
  /** The work of compiling it, beside the schemas that it applies, in about a microsecond. */
  cost?(node: SchemaNode): number;
  /** Whether it has nothing to decide if only the verdict is asked for: `properties` does, or all values pass. */
  isIdle?(node: SchemaNode): boolean;
  /**
   * Makes its check for a schema that has it; undefined if it can never fail or annotate there. Absent
   * if it never does, or the engine itself checks it (`type`).
   */
  compile?(node: SchemaNode, context: CompileContext): Check<TypeOf[A]> | undefined;
}

/** Everything that is known of a keyword. */
export type Keyword = Omit<Declaration<KeywordName, AppliesTo>, "shape" | "compile"> & {
  readonly shape: Shape<unknown>;
  compile?(node: SchemaNode, context: CompileContext): Check | undefined;
};

/** Declares a keyword; its check only sees values of the type that it is about. */
export function keyword<N extends KeywordName, A extends AppliesTo>(
  declared: Declaration<N, A>,
): Keyword {
  return declared as unknown as Keyword;
}
