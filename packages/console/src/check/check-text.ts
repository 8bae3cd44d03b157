import {
  type Check,
  type CheckClause,
  type ChosenBranch,
  type CompiledSchema,
  checkClauses,
  closestIssues,
  encodeUtf8,
  type IsRequiredAt,
  type Issue,
  isUnchecked,
  isUnion,
  locatePointers,
  parseJson,
  type Suggestion,
} from "@touchstone/core/advanced";
import { requiredTest } from "./required-property.ts";
import { placeOfByte, splitByte } from "./text-place.ts";
import { utf16Offsets } from "./utf16.ts";

/** One issue, in words, with its place in the text. Issues with the same cause are one finding. */
export interface Finding {
  /** RFC 6901 pointer to the faulty value, or to the missing property. */
  readonly path: string;
  /** What the value is called, and what is wrong with it. */
  readonly subject: string;
  readonly predicate: string;
  /** Whether it only reports that something is missing. */
  readonly isMissing: boolean;
  /** UTF-16 offsets of the faulty value; for a missing property, of the object that lacks it. */
  readonly from: number;
  readonly to: number;
  /** The place in words, if no pointer can express it. */
  readonly place?: string;
  /** How to make the value valid, if known. */
  readonly hint?: string;
}

/** The page's verdict on a text while it is written. */
export interface TextCheck {
  /**
   * `unreadable`: the text is not JSON. `unusable`: the schema cannot be used, nothing was judged. `unchecked`: the check
   * ended without a verdict.
   */
  readonly state: "valid" | "invalid" | "unreadable" | "unusable" | "unchecked";
  /** In the order of the check; from unions, only the branches that were meant; at most {@link MAX_FINDINGS}. */
  readonly findings: readonly Finding[];
  /** Number of further errors. */
  readonly more: number;
  /** Number of errors omitted because they belong to union branches that were not meant. */
  readonly unmeant: number;
  readonly warnings: readonly Issue[];
}

/** More findings would not be read, and all of them are redrawn with every key press. */
export const MAX_FINDINGS = 100;

function unreadable(text: string, message: string, offset: number): TextCheck {
  const { from, place } = placeOfByte(text, offset);
  // The editor counts lines, not bytes, so the message does too.
  const { what } = splitByte(message);
  const finding: Finding = {
    path: "",
    subject: place,
    predicate: `Invalid JSON: ${what}`,
    isMissing: false,
    from,
    to: Math.min(text.length, from + 1),
    place,
  };
  return { ...NOTHING, state: "unreadable", findings: [finding] };
}

const NOTHING: Omit<TextCheck, "state"> = {
  findings: [],
  more: 0,
  unmeant: 0,
  warnings: [],
};

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** Turns a clause about a value into a finding without its place in the text. */
function unplaced({ kind, path, subject, predicate }: CheckClause): Finding {
  const isMissing = kind === "missing" || kind === "missing_any";
  const said = { subject, predicate, isMissing, from: 0, to: 0 };
  // One of several properties is missing: reported on the enclosing object, with their names.
  return kind === "missing_any"
    ? { ...said, path: parentOf(path), predicate: `${subject} ${predicate}` }
    : { ...said, path };
}

/** Returns whether a clause only reports that none of several schemas matches, while other clauses say why. */
function isComposite({ kind, issue, path }: CheckClause, all: readonly CheckClause[]): boolean {
  const isEmpty = kind === "other" && (isUnion(issue) || issue.keyword === "if");
  const isIn = (other: CheckClause): boolean =>
    other.path === path || other.path.startsWith(`${path}/`);
  return isEmpty && all.some((other) => other.issue !== issue && isIn(other));
}

/** Locates findings in a text, in one pass. */
function placed(text: string, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return [];
  const places = locatePointers(
    encodeUtf8(text),
    findings.map(({ path }) => path),
  );
  const ranges = findings.map(({ path }) => places.get(path)?.value ?? { start: 0, end: 0 });
  const offsets = utf16Offsets(
    text,
    ranges.flatMap(({ start, end }) => [start, end]),
  );
  return findings.map((finding, i) => {
    const { start = 0, end = 0 } = ranges[i] ?? {};
    return { ...finding, from: offsets.get(start) ?? 0, to: offsets.get(end) ?? 0 };
  });
}

/** Returns what a suggestion adds to the issue; undefined if the issue itself says it. */
function hintOf(
  { message, value, path }: Suggestion,
  isRequired: IsRequiredAt,
): string | undefined {
  if (message === LEAVE_OUT) return isRequired(path) ? undefined : message;
  if (message.startsWith("allowed values: ")) {
    return value === undefined ? undefined : `did you mean ${JSON.stringify(value)}?`;
  }
  return message.startsWith("must be ") ? undefined : message;
}

const LEAVE_OUT = "leave it out if it is not required";

/** Returns hints on how to fix issues, by the issue's path. */
function hintsOf(
  suggestions: readonly Suggestion[],
  isRequired: IsRequiredAt,
): Map<string, string> {
  const hints = new Map<string, string>();
  for (const suggestion of suggestions) {
    if (hints.has(suggestion.path)) continue;
    const hint = hintOf(suggestion, isRequired);
    if (hint !== undefined) hints.set(suggestion.path, hint);
  }
  return hints;
}

function stateOf(check: Check): TextCheck["state"] {
  if (check.outcome === "uncompilable") return "unusable";
  if (isUnchecked(check)) return "unchecked";
  return check.valid ? "valid" : "invalid";
}

/**
 * Judges a JSON text by a schema. Compares numbers by their source text, as the server does. Never throws.
 * @param chosen the union branches that the user chose
 */
export function judgeText(schema: CompiledSchema, text: string, chosen?: ChosenBranch): TextCheck {
  const parsed = parseJson(text);
  if (!parsed.ok && parsed.code !== "depth") return unreadable(text, parsed.message, parsed.offset);
  const check = schema.validateText(text);
  const { errors, warnings, truncated = 0 } = check;
  const meant = closestIssues(errors, chosen);
  const told = checkClauses({ errors: meant }, "the value", MAX_FINDINGS + 1);
  const shown = told.filter((each) => !isComposite(each, told)).slice(0, MAX_FINDINGS);
  const stated = shown.map(unplaced);
  const found = parsed.ok ? placed(text, stated) : stated;
  const hints = hintsOf(check.suggestions, requiredTest(schema, text));
  const covered = told.slice(0, MAX_FINDINGS).reduce((sum, { issues }) => sum + issues, 0);
  return {
    state: stateOf(check),
    findings: found.map((finding, index) => {
      const hint = shown[index]?.kind === "rename" ? undefined : hints.get(finding.path);
      return hint === undefined ? finding : { ...finding, hint };
    }),
    more: Math.max(0, meant.length - covered) + truncated,
    unmeant: errors.length - meant.length,
    warnings: warnings.slice(0, MAX_FINDINGS),
  };
}
