import type { Rule } from "../../../result.ts";
import { ruleOf } from "../../keyword-rule.ts";
import type { EngineError } from "./ajv.ts";
import { BRANCH_ENDS } from "./branches.ts";

/** An error, or a composite together with the errors of its branches. */
interface Group {
  /** Index of its first error. */
  readonly start: number;
  readonly rule: Rule;
}

/** The rule that the groups share, if they share one. */
function sharedRule(groups: readonly Group[]): Rule {
  const rule = groups[0]?.rule ?? "value";
  return groups.every((group) => group.rule === rule) ? rule : "value";
}

/** The class of a composite: of its branch with fewest issues, the first of those. */
function compositeRule(children: readonly Group[], start: number, ends: readonly number[]): Rule {
  let closest: readonly Group[] | undefined;
  let from = 0;
  for (const end of ends) {
    const to = start + end;
    let next = from;
    while (next < children.length && (children[next] as Group).start < to) next++;
    if (closest === undefined || next - from < closest.length) closest = children.slice(from, next);
    from = next;
  }
  return sharedRule(closest ?? []);
}

/**
 * Counts issues per class over all errors of a validation, in linear time. A failed `anyOf` or
 * `oneOf` counts once, together with the errors of its branches, in the class that the issues of
 * the branch with fewest of them share, else `value`; a `oneOf` that matches more than one branch
 * is a `value`.
 * @param errors in the engine's order: a composite stands behind the errors of its branches.
 */
export function countRules(errors: readonly EngineError[]): Partial<Record<Rule, number>> {
  const groups: Group[] = [];
  errors.forEach((error, i) => {
    const ends = error.params[BRANCH_ENDS];
    if (!Array.isArray(ends)) {
      groups.push({
        start: i,
        rule: error.propertyName !== undefined ? "extra" : ruleOf(error.keyword),
      });
      return;
    }
    const start = i - Math.max(0, ...ends.slice(-1).map(Number));
    let first = groups.length;
    while (first > 0 && (groups[first - 1] as Group).start >= start) first--;
    groups.push({ start, rule: compositeRule(groups.splice(first), start, ends) });
  });
  const counts: Partial<Record<Rule, number>> = {};
  for (const { rule } of groups) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
