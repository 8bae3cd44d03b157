import { type Check, describeIssue, encodeUtf8, type Issue } from "@touchstone/core/advanced";
import { LEVELS, type Level } from "./announcement.ts";

/** One finding, with its level. */
export interface LevelIssue {
  readonly level: Level;
  readonly severity: "error" | "warning";
  /** RFC 6901 pointer into the arguments; `""` is the root. */
  readonly path: string;
  readonly message: string;
  /** The class of the issue, if a schema found it. */
  readonly rule?: Issue["rule"];
  /** The JSON Schema keyword that failed, if any. */
  readonly keyword?: string;
}

/**
 * Why a level has no findings.
 *
 * - `not_requested`: the request named levels, but not this one
 * - `not_served`: the server has no such checks, for any tool
 * - `syntax_failed`: deeper checks rely on arguments of the right form
 * - `failed`: a check threw, returned no findings, or (`syntax`) would have cost too much; the verdict is not valid
 * - `timeout`: a check did not end in time; the verdict is not valid
 */
export type NotRunReason = "not_requested" | "not_served" | "syntax_failed" | "failed" | "timeout";

/** A level that did not run. An unknown name is returned as it was requested. */
export interface LevelNotRun {
  readonly level: string;
  readonly reason: NotRunReason;
}

/** What a gateway does with a call. */
export type CallDecision = "allowed" | "warning" | "repaired" | "blocked";

/** The verdict on one call, as in a response. `valid` is false exactly when there are errors. */
export interface ToolVerdict {
  readonly valid: boolean;
  /** What a gateway that blocks would do with the call; absent if a server validates by itself. */
  readonly decision?: CallDecision;
  /** How a gateway would repair the arguments, if the decision is `repaired`. */
  readonly repairs?: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly suggestions: readonly string[];
  /** The errors and warnings, with their levels and places. */
  readonly issues: readonly LevelIssue[];
  readonly levelsNotRun: readonly LevelNotRun[];
  /** How many further errors and warnings there were. */
  readonly truncated?: number;
  /** The schema of the call's structured result, if the tool declares one. */
  readonly outputSchema?: unknown;
}

/** An issue, with its full text as a line if a response contains only a part of it. */
export interface IssueWithText extends LevelIssue {
  readonly line?: string;
}

/** The findings of checks, before they are written. */
export interface Findings {
  readonly issues: readonly IssueWithText[];
  readonly suggestions: readonly string[];
  readonly levelsNotRun: readonly LevelNotRun[];
  /** How many further issues there were. */
  readonly more?: number;
  readonly outputSchema?: unknown;
  readonly decision?: CallDecision;
  readonly repairs?: string;
}

/** Most bytes of one response's text. */
export const MAX_ANSWER_BYTES = 16_384;
/** The size that a verdict may always have, however little room there is. */
export const LEAST_VERDICT_BYTES = 512;
/** How many bytes of a response a tool's output schema may take. */
const MAX_SCHEMA_BYTES = 4_096;
const MAX_TEXT = 512;
/** A verdict of one issue whose texts have this length fits into {@link LEAST_VERDICT_BYTES}. */
const MIN_TEXT = 4;
const MAX_SUGGESTIONS = 20;
const MAX_LEVELS = 10;
const WELL_KNOWN = LEVELS.length - 1;
const LONGEST_LEVEL = Math.max(...LEVELS.map((level) => level.length));

/** Cuts a text to the length of texts in a response. */
export function cutText(text: string, most: number = MAX_TEXT): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** Returns an issue's parts in a response as one line. */
export function issueLine(
  { path, message, keyword }: Pick<Issue, "path" | "message"> & { readonly keyword?: string },
  most: number = MAX_TEXT,
): string {
  const known = keyword === undefined ? {} : { keyword };
  return cutText(describeIssue({ path, message, rule: "value", ...known }, "the arguments"), most);
}

/** Returns a schema's check as findings of a level. */
export function findingsOfCheck(
  { errors, warnings, suggestions, truncated }: Check,
  level: Level = "syntax",
): Findings {
  const issue =
    (severity: LevelIssue["severity"]) =>
    (found: Issue): IssueWithText => {
      const { path, message, rule, keyword } = found;
      return {
        level,
        severity,
        path,
        message,
        rule,
        ...(keyword === undefined ? {} : { keyword }),
        line: describeIssue(found, "the arguments"),
      };
    };
  return {
    issues: [...errors.map(issue("error")), ...warnings.map(issue("warning"))],
    suggestions: suggestions.map((suggestion) => issueLine(suggestion)),
    levelsNotRun: [],
    ...(truncated === undefined ? {} : { more: truncated }),
  };
}

/** How much of the findings is written. */
interface Extent {
  /** Issues, and suggestions. */
  readonly count: number;
  /** Characters of one text. */
  readonly text: number;
  readonly levels: number;
}

function write(
  findings: Findings,
  { count, text, levels }: Extent,
  outputSchema: unknown,
): ToolVerdict {
  const { issues, suggestions, levelsNotRun, more = 0, decision, repairs } = findings;
  const first = issues.slice(0, count);
  const listed = first.map(({ line: _, ...issue }): LevelIssue => {
    return { ...issue, path: cutText(issue.path, text), message: cutText(issue.message, text) };
  });
  const lines = (severity: LevelIssue["severity"]): string[] =>
    first
      .filter((issue) => issue.severity === severity)
      .map((issue) =>
        issue.line === undefined ? issueLine(issue, text) : cutText(issue.line, text),
      );
  const truncated = more + issues.length - listed.length;
  return {
    valid: !issues.some(({ severity }) => severity === "error"),
    ...(decision === undefined ? {} : { decision }),
    ...(repairs === undefined ? {} : { repairs: cutText(repairs, text) }),
    errors: lines("error"),
    warnings: lines("warning"),
    suggestions: suggestions
      .slice(0, Math.min(count, MAX_SUGGESTIONS))
      .map((line) => cutText(line, text)),
    issues: listed,
    levelsNotRun: levelsNotRun
      .slice(0, levels)
      .map((entry) => ({ ...entry, level: cutText(entry.level, Math.max(text, LONGEST_LEVEL)) })),
    ...(truncated > 0 ? { truncated } : {}),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** Returns how many bytes the JSON text of a value has. */
export function jsonByteLength(value: unknown): number {
  return encodeUtf8(JSON.stringify(value) ?? "").length;
}

function boundedSchema(schema: unknown, maxBytes: number): unknown {
  try {
    return jsonByteLength(schema) <= maxBytes ? schema : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a smaller amount; undefined if there is none: fewer issues first, then the least informative parts. */
function less({ count, text, levels }: Extent): Extent | undefined {
  if (count > 1) return { count: Math.floor(count / 2), text, levels };
  if (levels > WELL_KNOWN) return { count, text, levels: WELL_KNOWN };
  return text > MIN_TEXT ? { count, text: text / 2, levels } : undefined;
}

/**
 * Writes findings, errors first, in at most `maxBytes` bytes of JSON, or {@link LEAST_VERDICT_BYTES} if that is more.
 * Omitted issues are counted in `truncated`; if one alone is too long, unknown levels, the output schema and the ends
 * of texts are left out, too.
 */
export function writeVerdict(findings: Findings, maxBytes: number = MAX_ANSWER_BYTES): ToolVerdict {
  const errors = findings.issues.filter(({ severity }) => severity === "error");
  const warnings = findings.issues.filter(({ severity }) => severity === "warning");
  const ordered: Findings = { ...findings, issues: [...errors, ...warnings] };
  const schema = boundedSchema(
    findings.outputSchema,
    Math.min(MAX_SCHEMA_BYTES, Math.floor(maxBytes / 4)),
  );
  const count = Math.max(1, Math.min(200, ordered.issues.length + ordered.suggestions.length));
  let extent: Extent = { count, text: MAX_TEXT, levels: MAX_LEVELS };
  for (;;) {
    const verdict = write(ordered, extent, extent.text < MAX_TEXT ? undefined : schema);
    const next = jsonByteLength(verdict) > maxBytes ? less(extent) : undefined;
    if (next === undefined) return verdict;
    extent = next;
  }
}

/** Returns a verdict with one error that no schema found. */
export function errorFindings(message: string, rule: Issue["rule"]): Findings {
  return {
    issues: [{ level: "syntax", severity: "error", path: "", message, rule }],
    suggestions: [],
    levelsNotRun: [],
  };
}
