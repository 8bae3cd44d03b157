import type { JsonScan } from "./json/range.ts";
import { MAX_MESSAGES } from "./report/issues/bound.ts";
import type { PathStyle } from "./report/issues/issue.ts";
import { type RuleSet, type Rules, ruleSetOf, type Undeclared } from "./treatment.ts";

/** Limits on one check, and how its issues are written. A limit that is no positive integer is ignored. */
export interface CheckOptions {
  /** Largest JSON text in bytes of UTF-8. Default 5,242,880. */
  readonly maxBytes?: number;
  /** Deepest nesting: a scalar is 1, `{"a":1}` is 2. Default 64. */
  readonly maxDepth?: number;
  /** How many errors are listed. Default 1000. */
  readonly maxIssues?: number;
  /**
   * How many bytes of UTF-8 the messages of all listed errors have together: fewer errors are listed where
   * they would have more. Default 16,384, so that they can go to a model or a record.
   */
  readonly maxText?: number;
  /** What `path` names. Default `field`. */
  readonly paths?: PathStyle;
  /**
   * How issues count, by their class or place: a check that finds some has `treated`, and lists those first that count
   * most. They are not valid for that.
   */
  readonly rules?: Rules | undefined;
  /**
   * How members count that no part of the schema declares, as an issue of class `extra` and keyword `undeclared`: those
   * that `unevaluatedProperties: false` around the schema would not allow, in every dialect. A schema that declares no
   * member at any place has none, nor an object of whose other members it says what they may be
   * (`additionalProperties`). `rules` change how they count by place alone. By default nothing looks for them.
   */
  readonly undeclared?: Undeclared | undefined;
}

/** {@link CheckOptions} of one text. */
export interface TextCheckOptions extends CheckOptions {
  /**
   * The scan of a text in which the checked bytes are a value, made with `exact`. What it has shown
   * of them is not looked for again; nothing else about the check changes. A scan of any other text
   * must not be given.
   */
  readonly within?: JsonScan | undefined;
}

/** {@link CheckOptions}, with none left open. */
export interface Limits extends Required<Omit<CheckOptions, "rules" | "undeclared">> {
  readonly rules?: RuleSet | undefined;
  readonly undeclared?: Undeclared | undefined;
  /** Steps that the check may take now; undefined for the full budget. */
  readonly steps: number | undefined;
}

function limit(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : fallback;
}

const DEFAULTS: Limits = {
  maxBytes: 5_242_880,
  maxDepth: 64,
  maxIssues: 1000,
  maxText: MAX_MESSAGES,
  paths: "field",
  steps: undefined,
};

/**
 * The limits that hold: what is not set, or is none, is the default.
 * @param steps that the check may take now
 */
export function limitsOf(options: CheckOptions | undefined, steps?: number): Limits {
  if (options === undefined && steps === undefined) return DEFAULTS;
  return {
    maxBytes: limit(options?.maxBytes, DEFAULTS.maxBytes),
    maxDepth: limit(options?.maxDepth, DEFAULTS.maxDepth),
    maxIssues: limit(options?.maxIssues, DEFAULTS.maxIssues),
    maxText: limit(options?.maxText, DEFAULTS.maxText),
    paths: options?.paths === "instance" ? "instance" : "field",
    rules: options?.rules && ruleSetOf(options.rules),
    undeclared: options?.undeclared,
    steps,
  };
}
