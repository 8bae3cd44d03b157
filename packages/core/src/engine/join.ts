import { type Budget, spend } from "../keywords/budget.ts";
import type { Place } from "../keywords/place.ts";
import type { Rule as IssueRule } from "../result.ts";
import { closestOf } from "./closest.ts";
import { depthOf, type Faults, type Joined, type Members, NO_MEMBERS } from "./faults.ts";

/** The class that two share, else `value`. */
function shared(one: IssueRule | undefined, other: IssueRule): IssueRule {
  return one === undefined || one === other ? other : "value";
}

/** The class that all issues of all branches share, else `value`. */
function sharedByAll(branches: readonly Faults[]): IssueRule {
  let rule: IssueRule | undefined;
  for (const { counts } of branches) for (const one of counts.keys()) rule = shared(rule, one);
  return rule ?? "value";
}

/** What a `oneOf` comes to of which more than one branch passed. */
export function ambiguous(place: Place | undefined): Joined {
  const depth = depthOf(place);
  return { rule: "value", count: 1, depth, missing: 0, here: false, members: NO_MEMBERS };
}

/** The members of several branches together. */
function together(branches: readonly Faults[]): Members {
  const [first] = branches;
  if (branches.length === 1 && first !== undefined) return first.members;
  const all = new Map<string, IssueRule>();
  for (const { members } of branches) {
    for (const [name, rule] of members) all.set(name, shared(all.get(name), rule));
  }
  return all;
}

/** The class of what is wrong with one member. */
function ruleOfMember(branches: readonly Faults[], name: string): IssueRule {
  let rule: IssueRule | undefined;
  for (const { members } of branches) {
    const own = members.get(name);
    if (own !== undefined) rule = shared(rule, own);
  }
  return rule ?? "value";
}

/**
 * What the branches of a composite come to that all failed. Its class is the one that the issues of the
 * closest branches share, else `value`; where a member tells the branches apart, and has the value of none,
 * the class of what is wrong with that.
 * @throws BudgetError where steps are used up
 */
export function joinBranches(
  branches: readonly Faults[],
  place: Place | undefined,
  budget: Budget,
): Joined {
  const { left, closest, here, member } = closestOf(branches, () => spend(budget, 1));
  const own = depthOf(place);
  if (here) {
    const rule = sharedByAll(closest);
    return { rule, count: 1, depth: own, missing: 0, here, members: NO_MEMBERS };
  }
  if (member !== undefined) {
    const rule = ruleOfMember(left, member);
    const missing = rule === "required" ? 1 : 0;
    return { rule, count: 1, depth: own + 1, missing, here, members: new Map([[member, rule]]) };
  }
  const { count = 1, depth = own, missing = 0 } = closest[0] ?? {};
  const all = together(closest);
  // One of several properties is missing, and none of them by itself.
  const isAny = left.length > 1 && all.size > 1 && count === 1 && missing === 1;
  return {
    rule: sharedByAll(closest),
    count,
    depth,
    missing,
    here,
    members: isAny ? NO_MEMBERS : all,
  };
}
