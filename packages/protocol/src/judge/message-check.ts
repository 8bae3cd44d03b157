import { type Check, type GuardTrip, type Issue, PASS, type Rule } from "@touchstone/core/advanced";

/** Faults inside one item of a list, such as one tool of a `tools/list` result. */
export interface ItemFaults {
  /** The item's index in its list, from 0. */
  readonly item: number;
  /** RFC 6901 pointer to the item in the message. */
  readonly path: string;
  readonly issues: readonly Issue[];
}

/** The result of checking a message. Paths point into the message. */
export interface MessageCheck extends Check {
  /**
   * Items of a list that are faulty by themselves. They are not among `errors` and do not affect `valid`, because one
   * bad item does not justify withholding the whole list.
   */
  readonly items: readonly ItemFaults[];
  /**
   * Why a part of the message was not checked against its schema, if so: there was more to examine than `maxBytes`
   * allows, or the check did not finish within its budget. Nothing was found in that part then.
   */
  readonly unchecked?: "maxBytes" | "budget" | undefined;
}

/** Collects findings, in the order of the message. */
export interface Findings {
  issues: Issue[];
  /** How many more issues there were than are listed. */
  more: number;
  items: readonly ItemFaults[];
  unchecked?: MessageCheck["unchecked"];
  guard?: GuardTrip;
}

export function noFindings(): Findings {
  return { issues: [], more: 0, items: [] };
}

/** The most text of all listed issues together, in UTF-16 code units; further issues are only counted. */
const MAX_TEXT = 262_144;

function bounded(issues: readonly Issue[], maxIssues: number): readonly Issue[] {
  let text = 0;
  const end = issues.findIndex(({ path, message }, i) => {
    text += path.length + message.length;
    return i >= maxIssues || text > MAX_TEXT;
  });
  return end < 0 ? issues : issues.slice(0, end);
}

/** The result of most checks, so they share one object. */
const SOUND: MessageCheck = Object.freeze({
  ...PASS,
  items: Object.freeze([]),
});

/**
 * Returns whether an issue is that a result of 2026-07-28 has no `resultType`. Servers must send it, and clients must
 * treat such a result as complete (Base Protocol, ResultType), so it is a warning.
 */
function isNoType({ path, keyword, rule }: Issue): boolean {
  return rule === "protocol" && keyword === "required" && path === "/result/resultType";
}

/** Builds a check from the findings. */
export function messageCheck(findings: Findings, maxIssues: number): MessageCheck {
  const { items, unchecked, guard } = findings;
  const noType = findings.issues.find(isNoType);
  const issues =
    noType === undefined ? findings.issues : findings.issues.filter((one) => one !== noType);
  const warnings = noType === undefined ? SOUND.warnings : [noType];
  if (issues.length === 0) {
    return items.length === 0 && unchecked === undefined && noType === undefined
      ? SOUND
      : { ...SOUND, warnings, items, unchecked };
  }
  const errors = bounded(issues, maxIssues);
  const truncated = findings.more + issues.length - errors.length;
  const counts: Partial<Record<Rule, number>> = {};
  for (const { rule } of issues) counts[rule] = (counts[rule] ?? 0) + 1;
  // Only the checks by message schemas limit their lists, so all issues beyond the limit are of rule `protocol`.
  if (findings.more > 0) counts.protocol = (counts.protocol ?? 0) + findings.more;
  const guarded = guard !== undefined || issues.some(({ rule }) => rule === "guard");
  return {
    valid: false,
    outcome: guarded ? "guard" : "violation",
    errors,
    warnings,
    suggestions: [],
    ...(truncated > 0 ? { truncated } : {}),
    counts,
    ...(guard === undefined ? {} : { guard }),
    items,
    unchecked,
  };
}
