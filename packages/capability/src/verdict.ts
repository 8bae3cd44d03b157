import { type Check, describeIssue, encodeUtf8, type Issue } from "@touchstone/core";
import { LEVELS, type Level } from "./announcement.ts";

/** One thing found, with the level that found it. */
export interface LevelIssue {
  readonly level: Level;
  readonly severity: "error" | "warning";
  /** RFC 6901 pointer into the arguments; `""` is the whole of them. */
  readonly path: string;
  readonly message: string;
  /** The class of the issue, where a schema found it. */
  readonly rule?: Issue["rule"];
  /** The JSON Schema keyword that failed, where one did. */
  readonly keyword?: string;
}

/**
 * Why a level has not told anything.
 *
 * - `not_requested`: the request named levels, and not this one
 * - `not_served`: the server has no such checks, for any tool
 * - `syntax_failed`: deeper checks rely on arguments of the right form
 * - `failed`: a check threw, gave no findings, or (`syntax`) would have cost too much; the verdict is not valid
 * - `timeout`: a check did not end in time; the verdict is not valid
 */
export type NotRunReason = "not_requested" | "not_served" | "syntax_failed" | "failed" | "timeout";

/** A level that has not told anything. A name that is no {@link Level} comes back as it was asked for. */
export interface LevelNotRun {
  readonly level: string;
  readonly reason: NotRunReason;
}

/** The verdict on one call, as it is in a response. `valid` is false exactly when there are errors. */
export interface ToolVerdict {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly suggestions: readonly string[];
  /** The errors and warnings, with their levels and places. */
  readonly issues: readonly LevelIssue[];
  readonly levelsNotRun: readonly LevelNotRun[];
  /** How many errors and warnings more there were. */
  readonly truncated?: number;
  /** The schema of the structured result that the call would bring, where the tool declares one. */
  readonly outputSchema?: unknown;
}

/** An issue with the line that says it, where more is known of it than a response holds. */
export interface FoundIssue extends LevelIssue {
  readonly line?: string;
}

/** What checks found, before it is written down. */
export interface Findings {
  readonly issues: readonly FoundIssue[];
  readonly suggestions: readonly string[];
  readonly levelsNotRun: readonly LevelNotRun[];
  /** How many issues more there were than `issues` lists. */
  readonly more?: number;
  readonly outputSchema?: unknown;
}

/** Most bytes of one answer's text. */
export const MAX_ANSWER_BYTES = 16_384;
/** What a verdict may take however little room there is for it. */
export const LEAST_VERDICT_BYTES = 512;
/** Most of them that a tool's output schema may take. */
const MAX_SCHEMA_BYTES = 4_096;
const MAX_TEXT = 512;
/** A verdict of one issue whose texts have this length fits into {@link LEAST_VERDICT_BYTES}. */
const MIN_TEXT = 4;
const MAX_SUGGESTIONS = 20;
const MAX_LEVELS = 10;
const WELL_KNOWN = LEVELS.length - 1;
const LONGEST_LEVEL = Math.max(...LEVELS.map((level) => level.length));

/** Returns a text of a response, cut where it is longer than such texts are. */
export function cut(text: string, most: number = MAX_TEXT): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** Returns what the parts of an issue that a response holds say as one line. */
export function lineOf(
  { path, message, keyword }: Pick<Issue, "path" | "message"> & { readonly keyword?: string },
  most: number = MAX_TEXT,
): string {
  const known = keyword === undefined ? {} : { keyword };
  return cut(describeIssue({ path, message, rule: "value", ...known }, "the arguments"), most);
}

/** Returns what a schema's check found, as findings of a level. */
export function findingsOf(
  { errors, warnings, suggestions, truncated }: Check,
  level: Level = "syntax",
): Findings {
  const issue =
    (severity: LevelIssue["severity"]) =>
    (found: Issue): FoundIssue => {
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
    suggestions: suggestions.map((suggestion) => lineOf(suggestion)),
    levelsNotRun: [],
    ...(truncated === undefined ? {} : { more: truncated }),
  };
}

/** How much of the findings is written down. */
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
  const { issues, suggestions, levelsNotRun, more = 0 } = findings;
  const first = issues.slice(0, count);
  const listed = first.map(({ line: _, ...issue }): LevelIssue => {
    return { ...issue, path: cut(issue.path, text), message: cut(issue.message, text) };
  });
  const lines = (severity: LevelIssue["severity"]): string[] =>
    first
      .filter((issue) => issue.severity === severity)
      .map((issue) => (issue.line === undefined ? lineOf(issue, text) : cut(issue.line, text)));
  const truncated = more + issues.length - listed.length;
  return {
    valid: !issues.some(({ severity }) => severity === "error"),
    errors: lines("error"),
    warnings: lines("warning"),
    suggestions: suggestions
      .slice(0, Math.min(count, MAX_SUGGESTIONS))
      .map((line) => cut(line, text)),
    issues: listed,
    levelsNotRun: levelsNotRun
      .slice(0, levels)
      .map((entry) => ({ ...entry, level: cut(entry.level, Math.max(text, LONGEST_LEVEL)) })),
    ...(truncated > 0 ? { truncated } : {}),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** Returns how many bytes the JSON text of a value has. */
export function sizeOf(value: unknown): number {
  return encodeUtf8(JSON.stringify(value) ?? "").length;
}

function boundedSchema(schema: unknown, maxBytes: number): unknown {
  try {
    return sizeOf(schema) <= maxBytes ? schema : undefined;
  } catch {
    return undefined;
  }
}

/** Less of everything, or nothing if there is no less: issues first, then what tells least. */
function less({ count, text, levels }: Extent): Extent | undefined {
  if (count > 1) return { count: Math.floor(count / 2), text, levels };
  if (levels > WELL_KNOWN) return { count, text, levels: WELL_KNOWN };
  return text > MIN_TEXT ? { count, text: text / 2, levels } : undefined;
}

/**
 * Writes findings down, errors first, in at most `maxBytes` bytes of JSON, or
 * {@link LEAST_VERDICT_BYTES} where that is more. Issues that are left out are counted in `truncated`;
 * where one alone takes too much, names of levels that nobody knows, the output schema and the ends
 * of texts are left out, too.
 */
export function verdictOf(findings: Findings, maxBytes: number = MAX_ANSWER_BYTES): ToolVerdict {
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
    const next = sizeOf(verdict) > maxBytes ? less(extent) : undefined;
    if (next === undefined) return verdict;
    extent = next;
  }
}

/** Returns a verdict of one error that no schema found. */
export function errorFindings(message: string, rule: Issue["rule"]): Findings {
  return {
    issues: [{ level: "syntax", severity: "error", path: "", message, rule }],
    suggestions: [],
    levelsNotRun: [],
  };
}
