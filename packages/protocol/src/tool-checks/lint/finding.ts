/**
 * `error`: the tool, or a call of it, fails; `warning`: it causes trouble for some clients or models; `info`: it could
 * be better.
 */
export type Severity = "error" | "warning" | "info";

/** The subject of a finding. */
export type LintRule =
  | "tool-shape"
  | "tool-name"
  | "duplicate-name"
  | "tool-description"
  | "parameter-description"
  | "tool-size"
  | "header-annotation"
  | "schema"
  | "unknown-dialect"
  | "unresolved-reference"
  | "invalid-pattern"
  | "pattern-flags"
  | "output-dialect"
  | "no-effect"
  | "slow-pattern"
  | "unknown-format"
  | "mistyped-keyword"
  | "required-undeclared"
  | "reference-loop"
  | "reference-form"
  | "foreign-pattern"
  | "dialect-spelling"
  | "never-satisfied"
  | "only-empty"
  | "refused-default"
  | "output-root"
  | "not-examined"
  | "array-without-items";

/** One problem of a tool, and how to fix it. */
export interface Finding {
  /** The tool's name, or `#` and its index in the list if it has no name. */
  readonly tool: string;
  /** The tool's index in the list, from 0. */
  readonly index: number;
  /** RFC 6901 pointer into the tool. */
  readonly path: string;
  readonly rule: LintRule;
  readonly severity: Severity;
  readonly message: string;
  /** How to fix it. */
  readonly fix: string;
}

/** A finding before it is assigned to a tool. */
export type UnassignedFinding = Omit<Finding, "tool" | "index">;

/** Returns a text by the author for use in a message, cut if it is long. */
export function quotedAuthorText(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
