import { pointerTokens, type Rules, ruleSetOf } from "@touchstone/core/advanced";
import { type Exemptions, exemptionFor } from "../rollout/exemption.ts";
import { isUndeclared, type RecordedIssue } from "../rollout/places.ts";
import type { ProblemKey } from "./problem.ts";
import { PASSED_CALLS, type ProblemState } from "./response-schemas.ts";

/** An index for `*` that no rule contains. */
const ANY_ITEM = "9007199254740991";

/**
 * Returns the state of a problem.
 *
 * @param facts.excuses the exemptions of the current settings; undefined if they are unknown
 * @param facts.ignoredUntil RFC 3339 in UTC; undefined if the problem is not ignored
 * @param facts.passed calls that passed the check after the problem was last seen
 */
export function problemState(
  key: ProblemKey,
  facts: {
    readonly excuses: Exemptions | undefined;
    readonly ignoredUntil: string | undefined;
    readonly passed: number;
    readonly now: Date;
  },
): ProblemState {
  const { excuses, ignoredUntil, passed, now } = facts;
  if (excuses !== undefined && isAllowed(key, excuses)) return "allowed";
  if (ignoredUntil !== undefined && ignoredUntil > now.toISOString()) return "ignored";
  return passed >= PASSED_CALLS ? "not_seen" : "open";
}

/** Returns whether a rule of the settings forwards calls that have only this problem. */
function isAllowed(
  { server, tool, direction, place, rule, keyword }: ProblemKey,
  excuses: Exemptions,
) {
  if (direction !== "input" && direction !== "output") return false;
  const excuse = exemptionFor(excuses, { direction, server, tool });
  const issue = { path: place, rule, ...(keyword === "" ? {} : { keyword }) } as RecordedIssue;
  const isLookedFor = excuse?.undeclared !== undefined;
  if (isUndeclared(issue) && !isLookedFor) return true;
  if (excuse === undefined) return false;
  if (excuse.rules.some((one) => one === rule)) return true;
  const rules: Rules = excuse.places ?? {};
  const set = ruleSetOf(rules);
  if (rule !== "guard" && rule !== "budget") {
    const pointer = place
      .split("/")
      .map((name) => (name === "*" ? ANY_ITEM : name.replaceAll("~2", "*")))
      .join("/");
    const byPlace = set.ofPlace({ pointer, tokens: pointerTokens(pointer) });
    if (byPlace !== undefined) return byPlace !== "violation";
  }
  // Undeclared arguments only occur if the setting for them reports them, so only a rule for their place can allow
  // one.
  return !isUndeclared(issue) && set.ofClass(rule) !== "violation";
}
