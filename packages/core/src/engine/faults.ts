import { explanationOf } from "../keywords/index.ts";
import type { SchemaNode } from "../keywords/node.ts";
import type { ValuePlace } from "../keywords/run.ts";
import type { Rule as IssueRule } from "../result.ts";
import type { FailedBranch } from "./closest.ts";

/** How many members of one value to remember for a branch. */
const MAX_NAMES = 16;

/** Members, each with the class of its issue. */
export type MemberFaults = ReadonlyMap<string, IssueRule>;

const NO_COUNTS: ReadonlyMap<IssueRule, number> = new Map();
export const NO_MEMBERS: MemberFaults = new Map();

/** Returns the depth of a place: 1 for the root. */
export function depthOf(place: ValuePlace | undefined): number {
  let depth = 0;
  for (let at = place; at !== undefined; at = at.parent) depth++;
  return depth;
}

/** The kind of a keyword's error, as far as it shows which branch was meant. */
type Kind = "wanted" | "missing" | "other";

function kindOf(node: SchemaNode, keyword: string): Kind {
  const { about, wants, isInexact } = explanationOf(keyword);
  if (about === "missingProperty") return "missing";
  return wants === undefined || isInexact?.(node) === true ? "other" : "wanted";
}

/** An error, as a measure of distance. */
export interface Fault {
  readonly node: SchemaNode;
  readonly keyword: string;
  readonly rule: IssueRule;
  readonly place: ValuePlace | undefined;
  /** The property that it is about, if that is not at the place itself. */
  readonly property: string | undefined;
  /** Whether it is about a name, which is not a value of the place. */
  readonly isOfName: boolean;
}

/**
 * The errors of one branch of a composite, or those outside any: how many of each class (a composite counts as
 * one), and the value's distance.
 */
export class Faults implements FailedBranch {
  /** The schema of the branch, set at the end of the branch. */
  node: SchemaNode | undefined;
  counts: ReadonlyMap<IssueRule, number> = NO_COUNTS;
  count: number = 0;
  depth: number = 0;
  missing: number = 0;
  here: boolean = false;
  /** Members of the value at the base that must differ or are missing, with the class. */
  members: MemberFaults = NO_MEMBERS;
  // Most branches have none of these: the maps are made on first use.
  #counts: Map<IssueRule, number> | undefined;
  #members: Map<string, IssueRule> | undefined;

  get names(): Iterable<string> {
    return this.members.keys();
  }

  tally(rule: IssueRule, count: number): void {
    this.#counts ??= new Map();
    this.counts = this.#counts;
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count);
  }

  /**
   * @param base the place of the composite to whose branch the errors belong
   */
  add({ node, keyword, rule, place, property, isOfName }: Fault, base: ValuePlace): void {
    // For such a keyword, the errors of the schema that it applies say what is wrong, and they are counted already.
    if (explanationOf(keyword).branches?.are === "cause") return;
    this.far(1, depthOf(place) + (property === undefined ? 0 : 1));
    const kind = isOfName ? "other" : kindOf(node, keyword);
    if (kind === "missing") {
      this.missing++;
      if (place === base && property !== undefined) this.member(property, rule);
    } else if (kind === "wanted") this.wants(place, base, rule);
  }

  /** Adds the result of a composite that is itself in the branch. */
  addComposite(joined: CompositeResult, { place, rule, isOfName }: Fault, base: ValuePlace): void {
    this.far(joined.count, joined.depth);
    this.missing += joined.missing;
    if (isOfName) return;
    if (joined.here) this.wants(place, base, rule);
    else if (place === base) for (const [name, of] of joined.members) this.member(name, of);
  }

  private far(count: number, depth: number): void {
    this.count += count;
    this.depth = Math.max(this.depth, depth);
  }

  private wants(place: ValuePlace | undefined, base: ValuePlace, rule: IssueRule): void {
    if (place === base) this.here = true;
    else if (place?.parent === base) this.member(String(place.token), rule);
  }

  private member(name: string, rule: IssueRule): void {
    const before = this.members.get(name);
    if (before === undefined && this.members.size >= MAX_NAMES) return;
    this.#members ??= new Map();
    this.members = this.#members;
    this.#members.set(name, before === undefined || before === rule ? rule : "value");
  }
}

/** The result of a composite of which no branch, or too many, passed. */
export interface CompositeResult
  extends Pick<Faults, "count" | "depth" | "missing" | "here" | "members"> {
  readonly rule: IssueRule;
}
