import { isObject } from "@touchstone/core/advanced";
import type { Level } from "../announcement.ts";
import { ABORTED, withTimeLimit } from "../time-limit.ts";
import type { Findings, LevelIssue } from "../validation-result.ts";
import type { CheckFindings, Finding, ToolCheck } from "./checks.ts";
import type { Settings } from "./options.ts";

/** The call whose arguments a check receives. */
export interface CheckedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The SDK's context of the request. */
  readonly request: unknown;
  readonly signal: AbortSignal | undefined;
}

/** How many findings of one list to report; more are counted. */
const MAX_FINDINGS = 100;

function isFinding(value: unknown): value is Finding {
  if (typeof value === "string") return true;
  if (!isObject(value) || typeof value["message"] !== "string") return false;
  const { path } = value;
  return path === undefined || typeof path === "string";
}

function readFindings(value: unknown, level: Level): Findings | undefined {
  if (value === undefined || value === null)
    return { issues: [], suggestions: [], levelsNotRun: [] };
  if (!isObject(value)) return undefined;
  const { errors = [], warnings = [], suggestions = [] } = value as CheckFindings;
  if (![errors, warnings, suggestions].every(Array.isArray)) return undefined;
  const texts = suggestions.slice(0, MAX_FINDINGS);
  const found = [...errors.slice(0, MAX_FINDINGS), ...warnings.slice(0, MAX_FINDINGS)];
  if (!found.every(isFinding) || !texts.every((text) => typeof text === "string")) return undefined;
  const issue =
    (severity: LevelIssue["severity"]) =>
    (finding: Finding): LevelIssue => {
      const { message, path = "" } = typeof finding === "string" ? { message: finding } : finding;
      return { level, severity, path, message };
    };
  return {
    issues: [
      ...errors.slice(0, MAX_FINDINGS).map(issue("error")),
      ...warnings.slice(0, MAX_FINDINGS).map(issue("warning")),
    ],
    suggestions: texts,
    levelsNotRun: [],
    more: errors.length + warnings.length - found.length,
  };
}

function notRun(level: Level, reason: "failed" | "timeout", message: string): Findings {
  const issue: LevelIssue = { level, severity: "error", path: "", message };
  return { issues: [issue], suggestions: [], levelsNotRun: [{ level, reason }] };
}

/** Runs one check of a level. Never rejects: a failure is an error of the verdict, and a fault. */
export async function runCheck(
  check: ToolCheck,
  level: Level,
  call: CheckedCall,
  settings: Settings,
): Promise<Findings> {
  const { tool, request } = call;
  const { checkTimeoutMs, contextAware, onFault } = settings;
  try {
    const args = structuredClone(call.arguments);
    const found: unknown = await withTimeLimit(checkTimeoutMs, call.signal, (signal) =>
      check(args, { tool, level, signal, ...(contextAware ? { request } : {}) }),
    );
    if (found === ABORTED && call.signal?.aborted) {
      return notRun(level, "failed", "the request was canceled");
    }
    if (found === ABORTED) {
      const message = `a ${level} check did not end within ${checkTimeoutMs} ms`;
      onFault({ code: "check_timeout", message, tool });
      return notRun(level, "timeout", `${message}; the arguments may or may not be accepted`);
    }
    const findings = readFindings(found, level);
    if (findings !== undefined) return findings;
    const message = `a ${level} check returned no findings: it must return nothing, or an object with arrays errors, warnings and suggestions`;
    onFault({ code: "check_failed", message, tool, cause: found });
  } catch (cause) {
    onFault({ code: "check_failed", message: `a ${level} check threw`, tool, cause });
  }
  return notRun(level, "failed", `a ${level} check failed on the server; its log shows why`);
}
