import { ruleOf } from "../keywords/index.ts";
import type { SchemaNode } from "../keywords/node.ts";
import {
  type Budget,
  type Failed,
  type Opened,
  type Place,
  type Reporter,
  spend,
  type Wording,
} from "../keywords/run.ts";
import type { Rule as IssueRule } from "../result.ts";
import { closestOf } from "./closest.ts";
import type { Explanation, SchemaError } from "./context.ts";
import { depthOf, Faults, type Joined, type Members, NO_MEMBERS } from "./faults.ts";

/** The report as it was when a keyword began whose issues may be taken back. */
interface Open extends Opened {
  readonly total: number;
  readonly faults: Faults;
  readonly outer: Open | undefined;
  /** Where a composite stands that has branches. */
  readonly place: Place | undefined;
  readonly branches: Faults[];
}

/**
 * The issues of a run: the first of them in full, all of them counted. It holds no more than the
 * issues that it lists and the branches of the composites that are open.
 */
export class Report implements Reporter {
  propertyName: string | undefined;
  private readonly root: SchemaNode;
  private readonly errors: SchemaError[] = [];
  private readonly maxIssues: number;
  private total: number = 0;
  private faults: Faults = new Faults();
  /** The innermost keyword that has begun. */
  private opened: Open | undefined;

  constructor(root: SchemaNode, maxIssues: number) {
    this.root = root;
    this.maxIssues = maxIssues;
  }

  add(failed: Failed, wording: () => Wording, property?: string): void {
    const { node, keyword, place } = failed;
    const { propertyName } = this;
    const shown = node.written?.get(keyword)?.keyword ?? keyword;
    const isOfName = propertyName !== undefined;
    const rule = isOfName ? "extra" : ruleOf(shown);
    this.faults.tally(rule, 1);
    const base = this.opened?.place;
    if (base !== undefined) {
      const fault = { node, keyword, rule, place, property: propertyName ?? property, isOfName };
      this.faults.add(fault, base);
    }
    this.list(failed, wording);
  }

  join(opened: Opened, budget: Budget, failed: Failed, wording: Wording, passed: boolean): void {
    const { place, branches } = this.close(opened);
    const joined: Joined = passed ? ambiguous(place) : joinBranches(branches, place, budget);
    const { rule } = joined;
    const isOfName = this.propertyName !== undefined;
    this.faults.tally(rule, 1);
    const base = this.opened?.place;
    if (base !== undefined) {
      const fault = { ...failed, rule, property: this.propertyName, isOfName };
      this.faults.addComposite(joined, fault, base);
    }
    this.list(failed, () => wording);
  }

  private list({ node, keyword, value, place }: Failed, wording: () => Wording): void {
    this.total++;
    if (this.errors.length >= this.maxIssues) return;
    const { message, params } = wording();
    const written = node.written?.get(keyword);
    const { propertyName } = this;
    this.errors.push({
      instancePath: place?.pointer ?? "",
      schemaPath: written?.schemaPath ?? `${node.origin}/${keyword}`,
      keyword: written?.keyword ?? keyword,
      params,
      message,
      ...(propertyName === undefined ? {} : { propertyName }),
      data: value,
      node,
      root: this.root,
    });
  }

  open(place?: Place): Open {
    const { total, faults, opened: outer } = this;
    const listed = this.errors.length;
    this.faults = new Faults();
    this.opened = { listed, total, faults, outer, place, branches: [] };
    return this.opened;
  }

  endBranch(opened: Opened, node: SchemaNode): void {
    this.faults.node = node;
    (opened as Open).branches.push(this.faults);
    this.faults = new Faults();
  }

  discard(opened: Opened): void {
    if (this.errors.length > opened.listed) this.errors.length = opened.listed;
    this.total = this.close(opened).total;
  }

  keep(opened: Opened): void {
    const { counts } = this.faults;
    this.close(opened);
    for (const [rule, count] of counts) this.faults.tally(rule, count);
  }

  private close(opened: Opened): Open {
    const open = opened as Open;
    this.faults = open.faults;
    this.opened = open.outer;
    return open;
  }

  explanation(): Explanation {
    const counts: Partial<Record<IssueRule, number>> = {};
    for (const [rule, count] of this.faults.counts) counts[rule] = count;
    return { errors: this.errors, total: this.total, counts };
  }
}

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
