import type { Dialect, Undeclared } from "@touchstone/core/advanced";
import type { RepairName } from "../repair/repair-option.ts";

export const FORMATS = ["pretty", "json", "sarif", "junit"] as const;
export type Format = (typeof FORMATS)[number];

/** Options of `touchstone validate`, already checked by commander. */
export interface ValidateOptions {
  readonly schema: string;
  readonly dialect?: Dialect;
  readonly output: Format;
  readonly jsonl?: boolean;
  readonly paths?: "field" | "instance";
  readonly maxIssues?: number;
  readonly maxBytes: number;
  readonly maxDepth?: number;
  /** How issues count: each text is a class or place, `=` and a treatment. */
  readonly rule?: readonly string[];
  /** How members count that no part of the schema declares. */
  readonly undeclared?: "allow" | Undeclared["treat"];
  readonly undeclaredAt?: "root" | "deep";
  /** The repairs allowed in documents. */
  readonly repair?: readonly RepairName[];
  /** The file to write the repaired documents to. */
  readonly out?: string;
  /** Files by the URI used to reference them. */
  readonly document: ReadonlyMap<string, string>;
}
