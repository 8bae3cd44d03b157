import { isObject, parseJson } from "@touchstone/core/advanced";
import { LEVELS } from "../announcement.ts";
import { shortMessageOf } from "../errors.ts";
import { ownMember } from "../object.ts";
import {
  cutText,
  issueLine,
  type LevelIssue,
  type LevelNotRun,
  type NotRunReason,
  type ToolVerdict,
} from "../validation-result.ts";
import { boundVerdict } from "./bounded.ts";

/** How the request to the server ended. */
export type NativeStatus = "ok" | "not_supported" | "failed" | "timeout" | "invalid_answer";

/** The server's response for one call, or why there is none. */
export type NativeResult =
  | { readonly status: "ok"; readonly verdict: ToolVerdict }
  | { readonly status: Exclude<NativeStatus, "ok">; readonly detail: string };

const MAX_LIST = 1000;

function invalid(detail: string): NativeResult {
  return { status: "invalid_answer", detail };
}

function strings(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((text) => typeof text === "string")) return undefined;
  return value.map((text) => cutText(text));
}

function readIssues(value: unknown): readonly LevelIssue[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_LIST).flatMap((entry: unknown): LevelIssue[] => {
    const level = LEVELS.find((known) => known === ownMember(entry, "level"));
    const severity = ownMember(entry, "severity");
    const [path, message, keyword] = ["path", "message", "keyword"].map((name) =>
      ownMember(entry, name),
    );
    if (level === undefined || (severity !== "error" && severity !== "warning")) return [];
    if (typeof path !== "string" || typeof message !== "string") return [];
    const known = typeof keyword === "string" ? { keyword: cutText(keyword) } : {};
    return [{ level, severity, path: cutText(path), message: cutText(message), ...known }];
  });
}

const REASONS: readonly NotRunReason[] = [
  "not_requested",
  "not_served",
  "syntax_failed",
  "failed",
  "timeout",
];

function readLevels(value: unknown): readonly LevelNotRun[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 20).flatMap((entry: unknown): LevelNotRun[] => {
    const level = ownMember(entry, "level");
    const reason = REASONS.find((known) => known === ownMember(entry, "reason"));
    return typeof level === "string" && reason !== undefined
      ? [{ level: cutText(level), reason }]
      : [];
  });
}

const NO_REASON = "the server reports invalid arguments, but not why";

/** Returns a server's verdict, cut to size. One that contradicts itself is not valid. */
function readVerdict(value: unknown): NativeResult {
  const valid = ownMember(value, "valid");
  if (typeof valid !== "boolean") return invalid('the response has no boolean "valid"');
  const [reported, warnings, suggestions] = ["errors", "warnings", "suggestions"].map((name) =>
    strings(ownMember(value, name)),
  );
  if (reported === undefined || warnings === undefined || suggestions === undefined) {
    return invalid('"errors", "warnings" and "suggestions" must be arrays of strings');
  }
  const issues = readIssues(ownMember(value, "issues"));
  const ofIssues = issues
    .filter(({ severity }) => severity === "error")
    .map((one) => issueLine(one));
  const found = reported.length > 0 ? reported : ofIssues;
  const errors = valid || found.length > 0 ? found : [NO_REASON];
  const truncated = ownMember(value, "truncated");
  const verdict: ToolVerdict = {
    valid: errors.length === 0,
    errors,
    warnings,
    suggestions,
    issues,
    levelsNotRun: readLevels(ownMember(value, "levelsNotRun")),
    ...(isCount(truncated) ? { truncated } : {}),
  };
  return { status: "ok", verdict: boundVerdict(verdict) };
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

/** Returns a result's `content` if it is a text, else the text of its first block of text. */
export function firstText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const block = content.find((one: unknown) => ownMember(one, "type") === "text");
  const text = ownMember(block, "text");
  return typeof text === "string" ? text : undefined;
}

/** Returns the JSON value of a response: its structured content, else its first text. */
function answerValue(result: unknown): { readonly value: unknown } | NativeResult {
  if (!isObject(result)) return invalid("the response is not an object");
  const text = firstText(result["content"]);
  if (result["isError"] === true || result["success"] === false) {
    const detail = text ?? ownMember(result, "error") ?? "the server gave no reason";
    return { status: "failed", detail: shortMessageOf(detail) };
  }
  const type = result["resultType"];
  if (type !== undefined && type !== "complete") {
    return { status: "failed", detail: "the server did not complete the validation" };
  }
  if (isObject(result["structuredContent"])) return { value: result["structuredContent"] };
  if (text === undefined) return invalid("the response has neither structured content nor text");
  const parsed = parseJson(text, { maxDepth: 256 });
  return parsed.ok ? parsed : invalid("the response's text is not JSON");
}

/** Reads the result of the validation tool for one call. Never throws. */
export function readValidationResult(result: unknown): NativeResult {
  try {
    const read = answerValue(result);
    return "status" in read ? read : readVerdict(read.value);
  } catch (thrown) {
    return invalid(shortMessageOf(thrown));
  }
}

/** Reads the result for a batch: one response for each call, in order. Never throws. */
export function readBatchResult(result: unknown, calls: number): readonly NativeResult[] {
  const all = (answer: NativeResult): readonly NativeResult[] => new Array(calls).fill(answer);
  try {
    const read = answerValue(result);
    if ("status" in read) return all(read);
    const results = ownMember(read.value, "results");
    if (!Array.isArray(results) || results.length !== calls) {
      return all(invalid(`the response must have "results" for each of the ${calls} calls`));
    }
    return Array.from(results, (one: unknown) => readVerdict(one));
  } catch (thrown) {
    return all(invalid(shortMessageOf(thrown)));
  }
}
