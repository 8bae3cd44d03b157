import type { Dialect, Rules, Undeclared } from "@touchstone/core";
import type { RepairWord } from "../repair-option.ts";

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
  /** How issues count, by class or place. */
  readonly rule?: Rules;
  /** How members count that no part of the schema declares. */
  readonly undeclared?: "allow" | Undeclared["treat"];
  readonly undeclaredAt?: "root" | "deep";
  /** What may be repaired in documents. */
  readonly repair?: readonly RepairWord[];
  /** The file that takes them as they are then. */
  readonly out?: string;
  /** Files by the URI that references name them by. */
  readonly document: ReadonlyMap<string, string>;
}
