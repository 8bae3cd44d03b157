import type { Decimal } from "../json/decimal.ts";
import type { Rule } from "../result.ts";
import type { Budget } from "./budget.ts";
import type { SchemaNode } from "./node.ts";
import type { Check } from "./run.ts";

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

/** Everything that the engine has to know of a keyword. */
export interface Keyword {
  /** Its name in 2020-12. */
  readonly name: Exclude<keyof SchemaNode, "id" | "origin" | "always" | "written" | "exactCounts">;
  readonly appliesTo: AppliesTo;
  /** The class of its issues. Default `value`. */
  readonly issueClass?: Rule;
  /** Whether it applies schemas to the value itself, which may lead back to this one. */
  readonly inPlace?: boolean;
  /** Whether it has nothing to decide if only the verdict is asked for: `properties` does, or all values pass. */
  isIdle?(node: SchemaNode): boolean;
  /** Makes its check for a schema that has it; undefined if it can never fail or annotate. */
  compile(node: SchemaNode, context: CompileContext): Check | undefined;
}

/** Declares a keyword; its check only sees values of the type that it is about. */
export function keyword<A extends AppliesTo>(declared: {
  readonly name: Keyword["name"];
  readonly appliesTo: A;
  readonly issueClass?: Rule;
  readonly inPlace?: boolean;
  isIdle?(node: SchemaNode): boolean;
  compile(node: SchemaNode, context: CompileContext): Check<TypeOf[A]> | undefined;
}): Keyword {
  return declared as Keyword;
}
