import type { Budget } from "../keywords/budget.ts";
import { ruleOf } from "../keywords/index.ts";
import type { SchemaNode } from "../keywords/node.ts";
import type { Place } from "../keywords/place.ts";
import type { Failed, Opened, Reporter, Wording } from "../keywords/run.ts";
import type { Rule as IssueRule } from "../result.ts";
import type { Explanation, SchemaError } from "./context.ts";
import { Faults, type Joined } from "./faults.ts";
import { ambiguous, joinBranches } from "./join.ts";

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
