import { type Findings, issueLine, type ToolVerdict, writeVerdict } from "../validation-result.ts";
import { boundVerdict } from "./bounded.ts";
import type { NativeResult, NativeStatus } from "./read-answer.ts";
import type { TestRun } from "./test-run.ts";

/**
 * The validation of a call before it is made.
 *
 * - `method`: `native` if the server responded, and `schema` if only the tool's schema was checked; `none` if neither
 *   was possible, which is never valid
 * - `native.status`: `ok`, `not_supported` (the server does not announce validation), `failed` (it does, but could
 *   not), `timeout`, `invalid_answer`; `detail` says more
 */
export interface ToolValidation extends ToolVerdict {
  readonly method: "native" | "schema" | "none";
  readonly native: { readonly status: NativeStatus; readonly detail?: string };
  /** The one call that `testRun` asked for; absent without it, and if the call is not valid. */
  readonly testRun?: TestRun;
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...new Set([...a, ...b]),
];

/**
 * Combines the verdicts of schema and server: not valid if either of them is not valid. Equal issues occur once.
 * @param schema the verdict of the tool's schema, or why it could not be fetched
 */
export function joinVerdicts(schema: Findings | string, native: NativeResult): ToolValidation {
  const local = typeof schema === "string" ? undefined : writeVerdict(schema);
  if (native.status !== "ok") {
    const { status, detail } = native;
    if (local !== undefined) return { ...local, method: "schema", native: { status, detail } };
    const message = `could not be checked: ${schema}; ${detail}`;
    return { ...uncheckedResult(message), native: { status, detail } };
  }
  const { verdict } = native;
  if (local === undefined) return { ...verdict, method: "native", native: { status: "ok" } };
  const errors = union(local.errors, verdict.errors);
  const listed = new Set(local.issues.map((issue) => `${issue.severity} ${issueLine(issue)}`));
  const more = verdict.issues.filter(
    (issue) => !listed.has(`${issue.severity} ${issueLine(issue)}`),
  );
  const truncated = Math.max(local.truncated ?? 0, verdict.truncated ?? 0);
  const joined: ToolVerdict = {
    valid: errors.length === 0,
    errors,
    warnings: union(local.warnings, verdict.warnings),
    suggestions: union(local.suggestions, verdict.suggestions),
    issues: [...local.issues, ...more],
    levelsNotRun: [...local.levelsNotRun, ...verdict.levelsNotRun],
    ...(truncated > 0 ? { truncated } : {}),
    ...(local.outputSchema === undefined ? {} : { outputSchema: local.outputSchema }),
  };
  return { ...boundVerdict(joined), method: "native", native: { status: "ok" } };
}

/** Returns the result for a call that could not be checked at all. */
export function uncheckedResult(message: string): ToolValidation {
  const issue = {
    level: "syntax",
    severity: "error",
    path: "",
    message,
    rule: "protocol",
  } as const;
  const verdict = writeVerdict({ issues: [issue], suggestions: [], levelsNotRun: [] });
  return {
    ...verdict,
    method: "none",
    native: { status: "failed", detail: `not asked: ${message}` },
  };
}

/** Adds a test run to a validation: a failed run makes the call invalid, and a run that was not made is a warning. */
export function withTestRun(validation: ToolValidation, run: TestRun): ToolValidation {
  if (run.status === "success") return { ...validation, testRun: run };
  const isError = run.status !== "not_run";
  const line = `${isError ? "the test run failed" : "no test run"}: ${run.detail}`;
  const severity = isError ? "error" : "warning";
  const issue = { level: "runtime", severity, path: "", message: line } as const;
  return {
    ...validation,
    valid: validation.valid && !isError,
    errors: isError ? [...validation.errors, line] : validation.errors,
    warnings: isError ? validation.warnings : [...validation.warnings, line],
    issues: [...validation.issues, issue],
    testRun: run,
  };
}
