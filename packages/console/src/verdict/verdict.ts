import {
  type Check,
  type ChosenBranch,
  type CompiledSchema,
  closestIssues,
  encodeUtf8,
  type Issue,
  isUnchecked,
  locatePointers,
  parseJson,
  type RequiredAt,
  type Suggestion,
} from "@touchstone/core";
import { placeOfByte, splitByte } from "./byte-place.ts";
import { requiredIn } from "./required.ts";
import { utf16Offsets } from "./utf16.ts";

/** One thing wrong, and where it stands in the text. */
export interface Finding {
  readonly issue: Issue;
  /** UTF-16 offsets of the value at fault; of a missing property, of the object that lacks it. */
  readonly from: number;
  readonly to: number;
  /** Where that is, in words, where no pointer can tell it. */
  readonly place?: string;
  /** How the value can be made valid, where that is known. */
  readonly hint?: string;
}

/** What the page says about a text while it is written. */
export interface Verdict {
  /**
   * `unreadable`: the text is no JSON. `unusable`: the schema cannot be used, nothing was judged. `unchecked`: the check
   * ended without a verdict.
   */
  readonly state: "valid" | "invalid" | "unreadable" | "unusable" | "unchecked";
  /** In the order of the check, of the branches of unions those that were meant; at most {@link MAX_FINDINGS}. */
  readonly findings: readonly Finding[];
  /** How many errors more there are. */
  readonly more: number;
  /** How many errors are not told because they are of branches of unions that were not meant. */
  readonly unmeant: number;
  readonly warnings: readonly Issue[];
}

/** More would be read by nobody, and drawn with every key that is pressed. */
export const MAX_FINDINGS = 100;

function unreadable(text: string, message: string, offset: number): Verdict {
  const { from, place } = placeOfByte(text, offset);
  // Who writes a text sees lines, as the editor counts them, and no bytes.
  const { what } = splitByte(message);
  const issue: Issue = { path: "", message: `Invalid JSON: ${what}`, rule: "protocol" };
  const finding: Finding = { issue, from, to: Math.min(text.length, from + 1), place };
  return { ...NOTHING, state: "unreadable", findings: [finding] };
}

const NOTHING: Omit<Verdict, "state"> = {
  findings: [],
  more: 0,
  unmeant: 0,
  warnings: [],
};

function findingsOf(text: string, issues: readonly Issue[]): readonly Finding[] {
  if (issues.length === 0) return [];
  const bytes = encodeUtf8(text);
  const places = locatePointers(
    bytes,
    issues.map(({ path }) => path),
  );
  const ranges = issues.map(({ path }) => places.get(path)?.value ?? { start: 0, end: 0 });
  const offsets = utf16Offsets(
    text,
    ranges.flatMap(({ start, end }) => [start, end]),
  );
  return issues.map((issue, i) => {
    const { start = 0, end = 0 } = ranges[i] ?? {};
    return { issue, from: offsets.get(start) ?? 0, to: offsets.get(end) ?? 0 };
  });
}

/** Branches of a union often say the same of the same value, and so do a type and an `enum`. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  const listed = new Set(
    issues.filter(({ keyword }) => keyword === "enum").map(({ path }) => path),
  );
  const told = issues.filter(({ path, keyword }) => keyword !== "type" || !listed.has(path));
  return [
    ...new Map(told.map((issue) => [JSON.stringify([issue.path, issue.message]), issue])).values(),
  ];
}

/** What a suggestion adds to the issue; undefined where the issue itself says it. */
function hintOf({ message, value, path }: Suggestion, isRequired: RequiredAt): string | undefined {
  if (message === LEAVE_OUT) return isRequired(path) ? undefined : message;
  if (message.startsWith("allowed values: ")) {
    return value === undefined ? undefined : `did you mean ${JSON.stringify(value)}?`;
  }
  return message.startsWith("must be ") ? undefined : message;
}

const LEAVE_OUT = "leave it out if it is not required";

/** By the path of an issue, how to fix what it is about. */
function hintsOf(suggestions: readonly Suggestion[], isRequired: RequiredAt): Map<string, string> {
  const hints = new Map<string, string>();
  for (const suggestion of suggestions) {
    if (hints.has(suggestion.path)) continue;
    const hint = hintOf(suggestion, isRequired);
    if (hint !== undefined) hints.set(suggestion.path, hint);
  }
  return hints;
}

function stateOf(check: Check): Verdict["state"] {
  if (check.outcome === "uncompilable") return "unusable";
  if (isUnchecked(check)) return "unchecked";
  return check.valid ? "valid" : "invalid";
}

/**
 * Judges a JSON text by a schema: numbers by their source text, as the server does. Never throws.
 * @param chosen the branches of unions that somebody chose
 */
export function judgeText(schema: CompiledSchema, text: string, chosen?: ChosenBranch): Verdict {
  const parsed = parseJson(text);
  if (!parsed.ok && parsed.code !== "depth") return unreadable(text, parsed.message, parsed.offset);
  const check = schema.check(text);
  const { errors, warnings, truncated = 0 } = check;
  const meant = closestIssues(errors, chosen);
  const told = distinct(meant);
  const shown = told.slice(0, MAX_FINDINGS);
  const found = parsed.ok
    ? findingsOf(text, shown)
    : shown.map((issue): Finding => ({ issue, from: 0, to: 0 }));
  const hints = hintsOf(check.suggestions, requiredIn(schema, text));
  return {
    state: stateOf(check),
    findings: found.map((finding) => {
      const hint = hints.get(finding.issue.path);
      return hint === undefined ? finding : { ...finding, hint };
    }),
    more: told.length - shown.length + truncated,
    unmeant: errors.length - meant.length,
    warnings: warnings.slice(0, MAX_FINDINGS),
  };
}
