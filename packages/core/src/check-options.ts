import type { JsonScan } from "./json/range.ts";
import { MAX_MESSAGES } from "./report/issues/bound.ts";
import type { PathStyle } from "./report/issues/issue.ts";
import { type RuleSet, type Rules, ruleSetOf, type Undeclared } from "./treatment.ts";

/** Limits on one check, and how its issues are written. A limit that is not a positive integer is ignored. */
export interface CheckOptions {
  /** Largest JSON text in bytes of UTF-8. Default 5,242,880. */
  readonly maxBytes?: number;
  /** Deepest nesting: a scalar is 1, `{"a":1}` is 2. Default 64. */
  readonly maxDepth?: number;
  /** How many errors to list. Default 1000. */
  readonly maxIssues?: number;
  /**
   * The largest size of all listed messages together, in bytes of UTF-8. Errors beyond it are not listed. Default
   * 16,384, so that they fit into a model's context or a record.
   */
  readonly maxText?: number;
  /** What `path` names. Default `field`. */
  readonly paths?: PathStyle;
  /**
   * How issues count, by class or place. If a check finds any, it has `treated`, and lists the heaviest ones first.
   * Issues that count less still make the value invalid.
   */
  readonly rules?: Rules | undefined;
  /**
   * How undeclared members count: an issue of class `extra` and keyword `undeclared` for each member that
   * `unevaluatedProperties: false` around the schema would refuse, in every dialect. A schema that declares no member
   * anywhere has none, and neither has an object with `additionalProperties`. `rules` change how they count by place
   * only. Default: they are not searched for.
   */
  readonly undeclared?: Undeclared | undefined;
}

/** {@link CheckOptions} for one text. */
export interface TextCheckOptions extends CheckOptions {
  /**
   * The scan of a text that contains the checked bytes as a value, made with `exact`. What it has shown is not
   * checked again; nothing else about the check changes. Do not pass the scan of another text.
   */
  readonly within?: JsonScan | undefined;
}

/** {@link CheckOptions} with all defaults. */
export interface Limits extends Required<Omit<CheckOptions, "rules" | "undeclared">> {
  readonly rules?: RuleSet | undefined;
  readonly undeclared?: Undeclared | undefined;
  /** How many steps the check may take now; undefined for the full budget. */
  readonly steps: number | undefined;
  /** Whether messages are sentences, and not the engine's own words. */
  readonly isPlain: boolean;
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
  isPlain: false,
};

const PLAIN_DEFAULTS: Limits = { ...DEFAULTS, isPlain: true };

/**
 * Returns the limits in force: missing or invalid ones get the default.
 * @param isPlain whether messages are sentences
 * @param steps how many the check may take now
 */
export function limitsOf(
  options: CheckOptions | undefined,
  isPlain: boolean,
  steps?: number,
): Limits {
  if (options === undefined && steps === undefined) return isPlain ? PLAIN_DEFAULTS : DEFAULTS;
  return {
    maxBytes: limit(options?.maxBytes, DEFAULTS.maxBytes),
    maxDepth: limit(options?.maxDepth, DEFAULTS.maxDepth),
    maxIssues: limit(options?.maxIssues, DEFAULTS.maxIssues),
    maxText: limit(options?.maxText, DEFAULTS.maxText),
    paths: options?.paths === "instance" ? "instance" : "field",
    rules: options?.rules && ruleSetOf(options.rules),
    undeclared: options?.undeclared,
    steps,
    isPlain,
  };
}
