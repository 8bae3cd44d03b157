import type { Rule as IssueRule } from "../../result.ts";
import type { Budget } from "../budget.ts";
import type { SchemaNode } from "../graph/node.ts";
import { ruleOf } from "../keyword-rule.ts";
import type { Explanation, SchemaError, Wording } from "./context.ts";
import { Faults, type Joined } from "./faults.ts";
import { ambiguous, joinBranches } from "./join.ts";
import type { Place } from "./place.ts";

/** The report as it was when a keyword began whose errors may turn out to be none. */
export interface Opened {
  readonly listed: number;
  readonly total: number;
  readonly faults: Faults;
  readonly outer: Opened | undefined;
  /** Where a composite stands that has branches. */
  readonly place: Place | undefined;
  readonly branches: Faults[];
}

/** What tells of an error more than its keyword. */
export interface About {
  /** The property that is missing or not declared, or whose name is wrong. */
  readonly property?: string;
  /** What a composite came to. */
  readonly joined?: Joined;
}

const ITSELF: About = {};

/**
 * The errors of a run: the first of them in full, all of them counted. What it holds is bounded by
 * the number of errors it lists and the branches of the composites that are open.
 */
export class Report {
  /** The name that is judged while the schema of `propertyNames` is applied. */
  propertyName: string | undefined;
  private readonly root: SchemaNode;
  private readonly errors: SchemaError[] = [];
  private readonly maxIssues: number;
  private total: number = 0;
  private faults: Faults = new Faults();
  /** The innermost keyword that has begun. */
  private opened: Opened | undefined;

  constructor(root: SchemaNode, maxIssues: number) {
    this.root = root;
    this.maxIssues = maxIssues;
  }

  add(
    node: SchemaNode,
    keyword: string,
    data: unknown,
    place: Place | undefined,
    wording: () => Wording,
    { property, joined }: About = ITSELF,
  ): void {
    const written = node.written?.get(keyword);
    const shown = written?.keyword ?? keyword;
    const { propertyName } = this;
    this.total++;
    const isOfName = propertyName !== undefined;
    const rule = joined?.rule ?? (isOfName ? "extra" : ruleOf(shown));
    this.faults.tally(rule, 1);
    const base = this.opened?.place;
    if (base !== undefined) {
      const fault = { node, keyword, rule, place, property: propertyName ?? property, isOfName };
      if (joined === undefined) this.faults.add(fault, base);
      else this.faults.addComposite(joined, fault, base);
    }
    if (this.errors.length >= this.maxIssues) return;
    const { message, params } = wording();
    this.errors.push({
      instancePath: place?.pointer ?? "",
      schemaPath: written?.schemaPath ?? `${node.origin}/${keyword}`,
      keyword: shown,
      params,
      message,
      ...(propertyName === undefined ? {} : { propertyName }),
      data,
      node,
      root: this.root,
    });
  }

  /**
   * Begins a keyword whose errors so far can be taken back.
   * @param place where it stands, if it has branches
   */
  open(place?: Place): Opened {
    const { total, faults, opened: outer } = this;
    const listed = this.errors.length;
    this.faults = new Faults();
    this.opened = { listed, total, faults, outer, place, branches: [] };
    return this.opened;
  }

  /** Ends one branch of a composite that failed, or whose errors are none. */
  endBranch(opened: Opened, node: SchemaNode): void {
    this.faults.node = node;
    opened.branches.push(this.faults);
    this.faults = new Faults();
  }

  /** Takes back every error since. */
  discard(opened: Opened): void {
    if (this.errors.length > opened.listed) this.errors.length = opened.listed;
    this.total = opened.total;
    this.close(opened);
  }

  /** Lets the errors since stand, each for itself. */
  keep(opened: Opened): void {
    const { counts } = this.faults;
    this.close(opened);
    for (const [rule, count] of counts) this.faults.tally(rule, count);
  }

  /**
   * Lets the errors of the branches since, all of which failed, stand as one issue.
   * @returns what they come to
   * @throws BudgetError where steps are used up
   */
  join(opened: Opened, budget: Budget): Joined {
    this.close(opened);
    return joinBranches(opened.branches, opened.place, budget);
  }

  /** {@link join} where more than one branch passed. */
  joinAmbiguous(opened: Opened): Joined {
    this.close(opened);
    return ambiguous(opened.place);
  }

  private close(opened: Opened): void {
    this.faults = opened.faults;
    this.opened = opened.outer;
  }

  explanation(): Explanation {
    const counts: Partial<Record<IssueRule, number>> = {};
    for (const [rule, count] of this.faults.counts) counts[rule] = count;
    return { errors: this.errors, total: this.total, counts };
  }
}
