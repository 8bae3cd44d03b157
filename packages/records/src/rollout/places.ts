import {
  type Issue,
  isSchemaRule,
  isUnion,
  placeKey,
  pointerTokens,
  type RuleSet,
  type Rules,
  ruleSetOf,
  type Treatment,
} from "@touchstone/core/advanced";

/** An issue in its recorded form. */
export type RecordedIssue = Pick<Issue, "path" | "rule" | "keyword">;

/** Returns whether preceding issues at its place or inside it count as parts of it. */
function holdsOthers(issue: RecordedIssue): boolean {
  return isUnion(issue) || issue.keyword === "contains";
}

/**
 * Returns the issues of a record, each with the issue that it counts as. Issues of a union's branches count as the
 * union; an issue that only reports that another schema failed counts as the issue before it.
 */
export function countedIssues(
  issues: readonly RecordedIssue[],
): readonly (readonly [issue: RecordedIssue, as: RecordedIssue])[] {
  const counted: [RecordedIssue, RecordedIssue][] = [];
  let waiting: RecordedIssue[] = [];
  for (let at = issues.length - 1; at >= 0; at--) {
    const issue = issues[at] as RecordedIssue;
    if (issue.keyword === "if" && at > 0) {
      waiting.push(issue);
      continue;
    }
    for (const one of [...waiting, issue]) counted.push([one, issue]);
    waiting = [];
    if (!holdsOthers(issue)) continue;
    const { path } = issue;
    const isInside = (other: RecordedIssue | undefined): other is RecordedIssue =>
      other !== undefined && (other.path === path || other.path.startsWith(`${path}/`));
    for (let other = issues[at - 1]; isInside(other); other = issues[at - 1]) {
      counted.push([other, issue]);
      at--;
    }
  }
  return counted.reverse();
}

/**
 * Returns the most specific rule key that matches an issue, in any item of a list; undefined if no place matches, so
 * that only a rule for its class could.
 */
export function narrowestPlace({ path, rule }: RecordedIssue): string | undefined {
  const isChecked = rule !== "guard" && rule !== "budget" && isSchemaRule(rule);
  if (!isChecked || path === "" || path.endsWith("…")) return undefined;
  return placeKey(path)
    .split("/")
    .map((name) => (/^\d+$/.test(name) ? "*" : name))
    .join("/");
}

/** Returns whether an issue is about an argument that no part of its schema declares. */
export function isUndeclared({ keyword }: RecordedIssue): boolean {
  return keyword === "undeclared";
}

/**
 * Returns a function that returns whether rules forward a payload with a single issue.
 * @param undeclared how undeclared arguments count if no rule names their place
 */
export function issueForwarder(
  rules: Rules,
  undeclared: Treatment = "violation",
): (issue: RecordedIssue) => boolean {
  const set = ruleSetOf(rules);
  return (issue) => treat(set, issue, undeclared) !== "violation";
}

/**
 * Returns whether rules forward a payload with these issues.
 * @param undeclared how undeclared arguments count if no rule names their place
 */
export function forwardsIssues(
  rules: Rules,
  issues: readonly RecordedIssue[],
  undeclared: Treatment = "violation",
): boolean {
  const passes = issueForwarder(rules, undeclared);
  return issues.length > 0 && countedIssues(issues).every(([, as]) => passes(as));
}

function treat(set: RuleSet, issue: RecordedIssue, undeclared: Treatment): Treatment {
  const { path, rule } = issue;
  const isChecked = rule !== "guard" && rule !== "budget";
  const byPlace = isChecked
    ? set.ofPlace({ pointer: path, tokens: pointerTokens(path) })
    : undefined;
  // A rule for the class does not apply to issues that have a separate setting.
  return byPlace ?? (isUndeclared(issue) ? undeclared : set.ofClass(rule));
}
