import { joinPointer } from "../json/pointer.ts";
import { explanationOf, ruleOfKeyword, UNDECLARED_KEYWORD } from "../keywords/index.ts";
import type { SchemaNode } from "../keywords/node.ts";
import {
  type Budget,
  type FailedComposite,
  type IssueWording,
  type Reporter,
  type ReportState,
  spendSteps,
  type ValuePlace,
} from "../keywords/run.ts";
import type { Rule as IssueRule } from "../result.ts";
import { TREATMENTS } from "../treatment.ts";
import { closestOf } from "./closest.ts";
import type { FailureExplanation, IssueTreatments, KeywordError } from "./context.ts";
import { type CompositeResult, depthOf, Faults, type MemberFaults, NO_MEMBERS } from "./faults.ts";

/** The errors with the same treatment. */
interface Kept {
  /** The first of the errors. */
  readonly errors: KeywordError[];
  /** Number of errors, and of issues: a union is one issue, with all errors of its branches. */
  total: number;
  issues: number;
}

/** The state of the report at the start of a keyword whose issues may be discarded later. */
interface Open extends ReportState {
  readonly total: number;
  readonly faults: Faults;
  readonly outer: Open | undefined;
  /** The place of a composite that has branches. */
  readonly place: ValuePlace | undefined;
  readonly branches: Faults[];
}

/**
 * The issues of a run: lists the first of them in full, and counts them all. It holds only the issues that it lists
 * and the branches of the open composites.
 *
 * With rules, each issue is treated as soon as it is found, so neither the decision nor the list depends on the
 * number of issues that count less. A union is treated as one issue, at its own place, and so is `contains`.
 */
export class Report implements Reporter {
  propertyName: string | undefined;
  private readonly root: SchemaNode;
  private readonly maxIssues: number;
  private readonly treating: IssueTreatments | undefined;
  private total: number = 0;
  private faults: Faults = new Faults();
  /** The innermost keyword that is open. */
  private opened: Open | undefined;
  /** Indexed by treatment, as in {@link TREATMENTS}. */
  private readonly kept: readonly Kept[] = TREATMENTS.map(() => ({
    errors: [],
    total: 0,
    issues: 0,
  }));
  /**
   * Errors inside the outermost open keyword, which count as one issue together with its own; undefined outside such
   * a keyword, and without rules.
   */
  private inside: KeywordError[] | undefined;
  /** The errors inside a keyword whose own issue has not been added yet, and how many there were. */
  private trials: { readonly errors: KeywordError[]; readonly total: number } | undefined;
  /** The treatment of the latest issue. */
  private last: number = 0;

  /** @param treating how issues count; if undefined, all are violations */
  constructor(root: SchemaNode, maxIssues: number, treating?: IssueTreatments) {
    this.root = root;
    this.maxIssues = maxIssues;
    this.treating = treating;
  }

  add(
    budget: Budget,
    failed: FailedComposite,
    wording: () => IssueWording,
    property?: string,
  ): void {
    const { node, keyword, place } = failed;
    const { propertyName } = this;
    const shown = node.written?.get(keyword)?.keyword ?? keyword;
    const isOfName = propertyName !== undefined;
    const rule = isOfName ? "extra" : ruleOfKeyword(shown);
    this.faults.tally(rule, 1);
    const base = this.opened?.place;
    if (base !== undefined) {
      const fault = { node, keyword, rule, place, property: propertyName ?? property, isOfName };
      this.faults.add(fault, base);
    }
    if (this.treating === undefined || this.inside !== undefined) {
      this.list(failed, wording);
      return;
    }
    // A keyword that applied another schema counts like the issues of that schema, which come before it.
    const isCause = explanationOf(keyword).branches?.are === "cause";
    if (!isCause) {
      const at = propertyName ?? property;
      this.last = treat(this.treating, budget, { rule, keyword, place, property: at });
    }
    const { trials } = this;
    this.trials = undefined;
    this.inside = trials?.errors ?? [];
    const { errors } = this.kept[this.last] as Kept;
    // Only a limited number of issues is listed; the others are counted.
    if (errors.length < this.maxIssues) this.list(failed, wording);
    else this.total++;
    this.file(1 + (trials?.total ?? 0), isCause ? 0 : 1);
  }

  /** Adds the inner errors to those with the latest issue's treatment. */
  private file(total: number, issues: number): void {
    const kept = this.kept[this.last] as Kept;
    kept.total += total;
    kept.issues += issues;
    const { inside = [] } = this;
    for (let i = 0; i < inside.length && kept.errors.length < this.maxIssues; i++) {
      kept.errors.push(inside[i] as KeywordError);
    }
    this.inside = undefined;
  }

  join(
    opened: ReportState,
    budget: Budget,
    failed: FailedComposite,
    wording: IssueWording,
    passed: boolean,
  ): void {
    const { total } = opened as Open;
    const { place, branches } = this.close(opened);
    const joined: CompositeResult = passed
      ? ambiguous(place)
      : joinBranches(branches, place, budget);
    const { rule } = joined;
    const property = this.propertyName;
    const isOfName = property !== undefined;
    this.faults.tally(rule, 1);
    const base = this.opened?.place;
    if (base !== undefined) {
      const fault = { ...failed, rule, property, isOfName };
      this.faults.addComposite(joined, fault, base);
    }
    this.list(failed, () => wording);
    if (this.treating === undefined || this.opened !== undefined) return;
    const { keyword } = failed;
    this.last = treat(this.treating, budget, { rule, keyword, place, property });
    this.file(this.total - total, 1);
  }

  private list(
    { node, keyword, value, place }: FailedComposite,
    wording: () => IssueWording,
  ): void {
    const into = this.inside ?? (this.kept[0] as Kept).errors;
    this.total++;
    if (into.length >= this.maxIssues) return;
    const { message, params } = wording();
    const written = node.written?.get(keyword);
    const { propertyName } = this;
    into.push({
      instancePath: place?.pointer ?? "",
      schemaPath: written?.schemaPath ?? schemaPathOf(node, keyword),
      keyword: written?.keyword ?? keyword,
      params,
      message,
      ...(propertyName === undefined ? {} : { propertyName }),
      data: value,
      node,
      root: this.root,
    });
  }

  open(place?: ValuePlace): Open {
    const { total, faults, opened: outer, treating } = this;
    if (treating !== undefined) this.inside ??= [];
    const listed = (this.inside ?? (this.kept[0] as Kept).errors).length;
    this.faults = new Faults();
    this.opened = { listed, total, faults, outer, place, branches: [] };
    return this.opened;
  }

  endBranch(opened: ReportState, node: SchemaNode): void {
    this.faults.node = node;
    (opened as Open).branches.push(this.faults);
    this.faults = new Faults();
  }

  discard(opened: ReportState): void {
    const { total, listed } = this.close(opened);
    this.total = total;
    const errors = this.inside ?? (this.kept[0] as Kept).errors;
    if (errors.length > listed) errors.length = listed;
    if (this.opened === undefined) this.inside = undefined;
  }

  keep(opened: ReportState): void {
    const { counts } = this.faults;
    const { total } = this.close(opened);
    for (const [rule, count] of counts) this.faults.tally(rule, count);
    if (this.opened !== undefined || this.inside === undefined) return;
    this.trials = { errors: this.inside, total: this.total - total };
    this.inside = undefined;
  }

  private close(opened: ReportState): Open {
    const open = opened as Open;
    this.faults = open.faults;
    this.opened = open.outer;
    return open;
  }

  explanation(): FailureExplanation {
    const counts: Partial<Record<IssueRule, number>> = {};
    for (const [rule, count] of this.faults.counts) counts[rule] = count;
    const { total, kept, maxIssues } = this;
    const [violations, warnings, ignored] = kept as [Kept, Kept, Kept];
    if (this.treating === undefined) return { errors: violations.errors, total, counts };
    const heeded = [...violations.errors, ...warnings.errors].slice(0, maxIssues);
    return {
      errors: [...heeded, ...ignored.errors].slice(0, maxIssues),
      total,
      counts,
      treated: {
        violation: violations.issues,
        warning: warnings.issues,
        ignore: ignored.issues,
        heeded: heeded.length,
        more: violations.total + warnings.total - heeded.length,
      },
    };
  }
}

/**
 * Returns the place of a keyword in the author's document. An error that a setting raises has no keyword: returns the
 * place of its schema.
 */
function schemaPathOf({ origin }: SchemaNode, keyword: string): string {
  return keyword === UNDECLARED_KEYWORD ? origin : `${origin}/${keyword}`;
}

/** What determines how an issue counts. */
interface Treatable extends Pick<FailedComposite, "keyword" | "place"> {
  readonly rule: IssueRule;
  readonly property: string | undefined;
}

/** Returns the index of an issue's treatment. @throws BudgetError if steps are used up */
function treat(
  { rules, undeclared = "violation" }: IssueTreatments,
  budget: Budget,
  { rule, keyword, place, property }: Treatable,
): number {
  const byClass = keyword === UNDECLARED_KEYWORD ? undeclared : rules.ofClass(rule);
  if (!rules.hasPlaces) return TREATMENTS.indexOf(byClass);
  const tokens: string[] = property === undefined ? [] : [property];
  for (let at = place; at?.parent !== undefined; at = at.parent) tokens.push(String(at.token));
  spendSteps(budget, (1 + rules.cost) * (1 + tokens.length));
  const above = place?.pointer ?? "";
  const pointer = property === undefined ? above : joinPointer(above, property);
  return TREATMENTS.indexOf(rules.ofPlace({ pointer, tokens: tokens.reverse() }) ?? byClass);
}

/** Returns the class if both are the same, otherwise `value`. */
function shared(one: IssueRule | undefined, other: IssueRule): IssueRule {
  return one === undefined || one === other ? other : "value";
}

/** Returns the class that all issues of all branches share, otherwise `value`. */
function sharedByAll(branches: readonly Faults[]): IssueRule {
  let rule: IssueRule | undefined;
  for (const { counts } of branches) for (const one of counts.keys()) rule = shared(rule, one);
  return rule ?? "value";
}

/** Returns the result of a `oneOf` if more than one branch passed. */
function ambiguous(place: ValuePlace | undefined): CompositeResult {
  const depth = depthOf(place);
  return { rule: "value", count: 1, depth, missing: 0, here: false, members: NO_MEMBERS };
}

/** Merges the members of several branches. */
function together(branches: readonly Faults[]): MemberFaults {
  const [first] = branches;
  if (branches.length === 1 && first !== undefined) return first.members;
  const all = new Map<string, IssueRule>();
  for (const { members } of branches) {
    for (const [name, rule] of members) all.set(name, shared(all.get(name), rule));
  }
  return all;
}

/** Returns the class of the issues with one member. */
function ruleOfMember(branches: readonly Faults[], name: string): IssueRule {
  let rule: IssueRule | undefined;
  for (const { members } of branches) {
    const own = members.get(name);
    if (own !== undefined) rule = shared(rule, own);
  }
  return rule ?? "value";
}

/**
 * Combines the branches of a composite that have all failed. Its class is the one that the issues of the closest
 * branches share, otherwise `value`. If a member distinguishes the branches and has the value of none of them, it is
 * the class of the issue of that member.
 * @throws BudgetError if steps are used up
 */
function joinBranches(
  branches: readonly Faults[],
  place: ValuePlace | undefined,
  budget: Budget,
): CompositeResult {
  const { left, closest, here, member } = closestOf(branches, () => spendSteps(budget, 1));
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
  // One of several properties is missing, but not any particular one.
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
