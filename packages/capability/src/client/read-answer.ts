import { isObject, parseJson } from "@touchstone/core";
import { LEVELS } from "../announcement.ts";
import { shortMessageOf } from "../errors.ts";
import { own } from "../object.ts";
import {
  cut,
  type LevelIssue,
  type LevelNotRun,
  lineOf,
  type NotRunReason,
  type ToolVerdict,
} from "../verdict.ts";
import { bounded } from "./bounded.ts";

/** How the request to the server ended. */
export type NativeStatus = "ok" | "not_supported" | "failed" | "timeout" | "invalid_answer";

/** The server's response for one call, or why there is none. */
export type NativeAnswer =
  | { readonly status: "ok"; readonly verdict: ToolVerdict }
  | { readonly status: Exclude<NativeStatus, "ok">; readonly detail: string };

const MAX_LIST = 1000;

function invalid(detail: string): NativeAnswer {
  return { status: "invalid_answer", detail };
}

function strings(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((text) => typeof text === "string")) return undefined;
  return value.map((text) => cut(text));
}

function readIssues(value: unknown): readonly LevelIssue[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_LIST).flatMap((entry: unknown): LevelIssue[] => {
    const level = LEVELS.find((known) => known === own(entry, "level"));
    const severity = own(entry, "severity");
    const [path, message, keyword] = ["path", "message", "keyword"].map((name) => own(entry, name));
    if (level === undefined || (severity !== "error" && severity !== "warning")) return [];
    if (typeof path !== "string" || typeof message !== "string") return [];
    const known = typeof keyword === "string" ? { keyword: cut(keyword) } : {};
    return [{ level, severity, path: cut(path), message: cut(message), ...known }];
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
    const level = own(entry, "level");
    const reason = REASONS.find((known) => known === own(entry, "reason"));
    return typeof level === "string" && reason !== undefined ? [{ level: cut(level), reason }] : [];
  });
}

const UNTOLD = "the server reports invalid arguments, but not why";

/** Returns a server's verdict, cut to size. One that contradicts itself is not valid. */
function readVerdict(value: unknown): NativeAnswer {
  const valid = own(value, "valid");
  if (typeof valid !== "boolean") return invalid('the response has no boolean "valid"');
  const [told, warnings, suggestions] = ["errors", "warnings", "suggestions"].map((name) =>
    strings(own(value, name)),
  );
  if (told === undefined || warnings === undefined || suggestions === undefined) {
    return invalid('"errors", "warnings" and "suggestions" must be arrays of strings');
  }
  const issues = readIssues(own(value, "issues"));
  const ofIssues = issues.filter(({ severity }) => severity === "error").map((one) => lineOf(one));
  const found = told.length > 0 ? told : ofIssues;
  const errors = valid || found.length > 0 ? found : [UNTOLD];
  const truncated = own(value, "truncated");
  const verdict: ToolVerdict = {
    valid: errors.length === 0,
    errors,
    warnings,
    suggestions,
    issues,
    levelsNotRun: readLevels(own(value, "levelsNotRun")),
    ...(isCount(truncated) ? { truncated } : {}),
  };
  return { status: "ok", verdict: bounded(verdict) };
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const block = content.find((one: unknown) => own(one, "type") === "text");
  const text = own(block, "text");
  return typeof text === "string" ? text : undefined;
}

/** Returns the JSON value of a response: its structured content, else its first text. */
function answerValue(result: unknown): { readonly value: unknown } | NativeAnswer {
  if (!isObject(result)) return invalid("the response is not an object");
  const text = textOf(result["content"]);
  if (result["isError"] === true || result["success"] === false) {
    const detail = text ?? own(result, "error") ?? "the server gave no reason";
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
export function readAnswer(result: unknown): NativeAnswer {
  try {
    const read = answerValue(result);
    return "status" in read ? read : readVerdict(read.value);
  } catch (thrown) {
    return invalid(shortMessageOf(thrown));
  }
}

/** Reads the result for a batch: one response for each call, in order. Never throws. */
export function readBatchAnswer(result: unknown, calls: number): readonly NativeAnswer[] {
  const all = (answer: NativeAnswer): readonly NativeAnswer[] => new Array(calls).fill(answer);
  try {
    const read = answerValue(result);
    if ("status" in read) return all(read);
    const results = own(read.value, "results");
    if (!Array.isArray(results) || results.length !== calls) {
      return all(invalid(`the response must have "results" for each of the ${calls} calls`));
    }
    return Array.from(results, (one: unknown) => readVerdict(one));
  } catch (thrown) {
    return all(invalid(shortMessageOf(thrown)));
  }
}
