/** `error`: the tool, or a call of it, fails; `warning`: somebody will stumble; `info`: could be better. */
export type Severity = "error" | "warning" | "info";

/** What a finding is about. */
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
  | "array-without-items";

/** One thing that is wrong with a tool, and what to do about it. */
export interface Finding {
  /** The tool's name, or `#` and its place in the list if it has none. */
  readonly tool: string;
  /** The tool's place in the list, from 0. */
  readonly index: number;
  /** RFC 6901 pointer into the tool. */
  readonly path: string;
  readonly rule: LintRule;
  readonly severity: Severity;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

/** A finding before it is known which tool it is about. */
export type Found = Omit<Finding, "tool" | "index">;

/** Returns a text of the author's in a message, cut where it is long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
