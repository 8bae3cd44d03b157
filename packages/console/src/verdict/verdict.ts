import {
  type Check,
  type ChosenBranch,
  type CompiledSchema,
  closestIssues,
  encodeUtf8,
  type Issue,
  locatePointers,
  modelLines,
  parseJson,
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
}

/** What the page says about a text while it is written. */
export interface Verdict {
  /** `unreadable`: the text is no JSON. `unusable`: the schema cannot be used, nothing was judged. */
  readonly state: "valid" | "invalid" | "unreadable" | "unusable";
  /** In the order of the check, of the branches of unions those that were meant; at most {@link MAX_FINDINGS}. */
  readonly findings: readonly Finding[];
  /** How many errors more there are. */
  readonly more: number;
  /** How many errors are not told because they are of branches of unions that were not meant. */
  readonly unmeant: number;
  readonly warnings: readonly Issue[];
  /** One line each, that says what to do. */
  readonly advice: readonly string[];
}

/** More would be read by nobody, and drawn with every key that is pressed. */
export const MAX_FINDINGS = 100;
const MAX_ADVICE_BYTES = 16_384;

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
  advice: [],
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

/** Branches of a union often say the same of the same value. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  const byText = new Map(
    issues.map((issue) => [JSON.stringify([issue.path, issue.message]), issue]),
  );
  return byText.size === issues.length ? issues : [...byText.values()];
}

function stateOf({ valid, outcome }: Check): Verdict["state"] {
  if (outcome === "uncompilable") return "unusable";
  return valid ? "valid" : "invalid";
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
  return {
    state: stateOf(check),
    findings: parsed.ok
      ? findingsOf(text, shown)
      : shown.map((issue) => ({ issue, from: 0, to: 0 })),
    more: told.length - shown.length + truncated,
    unmeant: errors.length - meant.length,
    warnings: warnings.slice(0, MAX_FINDINGS),
    advice: check.valid ? [] : modelLines(check, MAX_ADVICE_BYTES, requiredIn(schema, text)),
  };
}
