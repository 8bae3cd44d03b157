import {
  boundedResult,
  duplicateWarnings,
  type Issue,
  isUnchecked,
  type JsonScan,
  type Suggestion,
  scanJson,
} from "@touchstone/core";
import { encodeJson } from "./answers/encode.ts";
import type { Judge, Judgement } from "./judge.ts";
import { invalidJson, type ValidateResult, type ValidationFailure } from "./result.ts";

/** A {@link ValidateResult} with everything that is known, for `?detail=full`. */
export interface DetailedResult extends ValidateResult {
  readonly errors?: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly suggestions: readonly Suggestion[];
}

/** Why a text is no JSON text (RFC 8259), or nothing. Deep nesting is for the judge to see. */
export function jsonFault(scan: JsonScan): ValidateResult | undefined {
  const { error } = scan;
  return error === undefined || error.code === "depth" ? undefined : invalidJson(error.message);
}

function failure({ path, message, keyword }: Issue): ValidationFailure {
  return { path, message, ...(keyword === undefined ? {} : { keyword }) };
}

function checkedOf(judgement: Judgement): Pick<ValidateResult, "checked"> {
  return isUnchecked(judgement) ? { checked: false } : {};
}

/** A judgement as it is answered. */
export function resultOf(judgement: Judgement): ValidateResult {
  const { valid, errors, truncated } = judgement;
  if (valid) return { valid };
  return {
    valid,
    ...checkedOf(judgement),
    errors: errors.map(failure),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

function detailOf(judgement: Judgement, scan: JsonScan, most: number): DetailedResult {
  const { valid, errors, warnings, suggestions, truncated, schemaWarnings } = judgement;
  return boundedResult({
    valid,
    ...checkedOf(judgement),
    ...(valid ? {} : { errors }),
    ...(truncated === undefined ? {} : { truncated }),
    warnings: [...warnings, ...duplicateWarnings(scan, most), ...schemaWarnings],
    suggestions,
  });
}

/** The JSON text of a verdict, and how many failures it lists. */
export interface Verdict {
  readonly text: string;
  readonly failures: number;
}

/** How a verdict is made and told. */
export interface VerdictOptions {
  /** Whether everything that is known is told. */
  readonly detail: boolean;
  readonly maxIssues: number;
}

/** Scans a text for what is judged before any schema. */
export function scanText(text: Uint8Array, { detail }: VerdictOptions): JsonScan {
  return scanJson(text, { duplicates: detail });
}

/**
 * The verdict on a text that is one JSON value. Never rejects.
 * @param scan what {@link scanText} gave for the text
 */
export async function verdict(
  judge: Judge,
  tool: Parameters<Judge>[0],
  text: Uint8Array,
  scan: JsonScan,
  { detail, maxIssues }: VerdictOptions,
): Promise<Verdict> {
  const judgement = await judge(tool, text, maxIssues);
  const full = detail ? encodeJson(detailOf(judgement, scan, maxIssues)) : undefined;
  const failures = judgement.errors.length;
  return { text: full ?? JSON.stringify(resultOf(judgement)), failures };
}
