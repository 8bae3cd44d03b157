import type { Dialect } from "@touchstone/core";

export const FORMATS = ["pretty", "json", "sarif", "junit"] as const;
export type Format = (typeof FORMATS)[number];

/** Options of `touchstone validate`, as commander has checked them. */
export interface ValidateOptions {
  readonly schema: string;
  readonly dialect?: Dialect;
  readonly output: Format;
  readonly jsonl?: boolean;
  readonly paths?: "field" | "instance";
  readonly maxIssues?: number;
  readonly maxBytes: number;
  readonly maxDepth?: number;
  /** Files by the URI that references name them by. */
  readonly document: ReadonlyMap<string, string>;
}
