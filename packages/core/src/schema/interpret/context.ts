import type { Decimals } from "../../json/exact.ts";
import type { Rule as IssueRule } from "../../result.ts";
import type { Budget } from "../budget.ts";
import type { FormatCheck, NumberFormatCheck } from "../format/format.ts";
import type { SchemaNode } from "../graph/node.ts";

/** A compiled regular expression. What it costs beyond reading the text once, it spends itself. */
export interface PatternTest {
  test(text: string, budget: Budget): boolean;
}

/** What a run of the interpreter needs beside the graph and the value. */
export interface Context {
  /** The exact values of the value's numbers that are no doubles, by pointer. */
  readonly decimals: Decimals;
  readonly budget: Budget;
  /** The check of a format by its name; a format that has none is not asserted. */
  readonly formats: (name: string) => FormatCheck | undefined;
  /** The same for the formats of numbers; none are asserted where it is absent. */
  readonly numberFormats?: (name: string) => NumberFormatCheck | undefined;
  /** The regular expression of a source. Called for each use: it should remember. */
  readonly patterns: (source: string) => PatternTest;
  /**
   * How many schemas may be applied inside one another, over the depths of value and schema
   * together. Default {@link MAX_DEPTH}.
   */
  readonly maxDepth?: number;
}

/**
 * Depth of nested application that fits on the stack beside what the caller has on it. Values of
 * the usual depth of 64 stay far below; a reference that leads back to itself on the same value
 * reaches it after as many steps.
 */
export const MAX_DEPTH = 800;

/** How much an explanation may hold. */
export interface ExplainLimits {
  /** How many errors are listed; all are counted. */
  readonly maxIssues: number;
}

/** How an error is worded. */
export interface Wording {
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One failed keyword, in the words and with the parameters that Ajv has for it. */
export interface SchemaError extends Wording {
  /** RFC 6901 pointer to the value that was judged. */
  readonly instancePath: string;
  /** URI fragment of the keyword in the author's document. */
  readonly schemaPath: string;
  /** The keyword as its author wrote it; `false schema` for the schema `false`. */
  readonly keyword: string;
  /** Set for an error of a property's name; `instancePath` is then the object's. */
  readonly propertyName?: string;
  /** The value that was judged. */
  readonly data: unknown;
  /** The schema in which the keyword stands. */
  readonly node: SchemaNode;
  /** The schema of the whole value. */
  readonly root: SchemaNode;
}

/** Why a value is not valid. */
export interface Explanation {
  /** The first errors, in the order in which Ajv lists them; none for a valid value. */
  readonly errors: readonly SchemaError[];
  /** How many errors there are in all. */
  readonly total: number;
  /**
   * Issues per class over all errors. A failed `anyOf` or `oneOf` counts once, together with the
   * errors of its branches, in the class that the issues of the closest branches share, else as `value`,
   * whatever the order of the branches.
   */
  readonly counts: Readonly<Partial<Record<IssueRule, number>>>;
}
