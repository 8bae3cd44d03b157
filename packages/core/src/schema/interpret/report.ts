import type { Rule as IssueRule } from "../../result.ts";
import type { SchemaNode } from "../graph/node.ts";
import { ruleOf } from "../keyword-rule.ts";
import type { Explanation, SchemaError, Wording } from "./context.ts";
import type { Place } from "./place.ts";

/** Issues per class; a composite is one issue. */
class Tally {
  issues: number = 0;
  readonly counts: Map<IssueRule, number> = new Map();

  add(rule: IssueRule, count: number): void {
    this.issues += count;
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + count);
  }

  /** The class that all issues share, else `value`. */
  shared(): IssueRule {
    const [rule] = this.counts.keys();
    return rule !== undefined && this.counts.size === 1 ? rule : "value";
  }
}

/** The report as it was when a keyword began whose errors may turn out to be none. */
export interface Opened {
  readonly listed: number;
  readonly total: number;
  readonly tally: Tally;
  /** The branch with fewest issues so far. */
  closest: Tally | undefined;
}

/**
 * The errors of a run: the first of them in full, all of them counted. What it holds is bounded by
 * the number of errors it lists and the depth of composites in one another.
 */
export class Report {
  /** The name that is judged while the schema of `propertyNames` is applied. */
  propertyName: string | undefined;
  private readonly errors: SchemaError[] = [];
  private readonly maxIssues: number;
  private total: number = 0;
  private tally: Tally = new Tally();

  constructor(maxIssues: number) {
    this.maxIssues = maxIssues;
  }

  /** @param rule the class, where it is not the keyword's. */
  add(
    node: SchemaNode,
    keyword: string,
    data: unknown,
    place: Place | undefined,
    wording: () => Wording,
    rule?: IssueRule,
  ): void {
    const written = node.written?.get(keyword);
    const shown = written?.keyword ?? keyword;
    const { propertyName } = this;
    this.total++;
    this.tally.add(rule ?? (propertyName === undefined ? ruleOf(shown) : "extra"), 1);
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
    });
  }

  /** Begins a keyword whose errors so far can be taken back. */
  open(): Opened {
    const { total, tally } = this;
    this.tally = new Tally();
    return { listed: this.errors.length, total, tally, closest: undefined };
  }

  /** Ends one branch of a composite. */
  endBranch(opened: Opened): void {
    const { tally } = this;
    if (opened.closest === undefined || tally.issues < opened.closest.issues) {
      opened.closest = tally;
    }
    this.tally = new Tally();
  }

  /** Takes back every error since. */
  discard(opened: Opened): void {
    if (this.errors.length > opened.listed) this.errors.length = opened.listed;
    this.total = opened.total;
    this.tally = opened.tally;
  }

  /** Lets the errors since stand, each for itself. */
  keep(opened: Opened): void {
    for (const [rule, count] of this.tally.counts) opened.tally.add(rule, count);
    this.tally = opened.tally;
  }

  /** Lets the errors of the branches since stand as one issue. @returns its class. */
  join(opened: Opened): IssueRule {
    this.tally = opened.tally;
    return opened.closest?.shared() ?? "value";
  }

  explanation(): Explanation {
    const counts: Partial<Record<IssueRule, number>> = {};
    for (const [rule, count] of this.tally.counts) counts[rule] = count;
    return { errors: this.errors, total: this.total, counts };
  }
}
