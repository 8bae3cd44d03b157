import { type ExactTree, exactSubtree } from "../json/exact-tree.ts";
import { joinPointer } from "../json/pointer.ts";
import type { JsonObject } from "../json/value.ts";
import type { SchemaNode } from "./node.ts";

/** The remaining cost budget of an evaluation. */
export interface Budget {
  /** Steps left. A step is about the work of one keyword on one scalar, 50 ns. */
  steps: number;
}

/** Thrown if a run ends without a verdict because it would cost too much. */
export class BudgetError extends Error {
  override readonly name: string = "BudgetError";

  constructor(message: string = "the step budget is spent") {
    super(message);
  }
}

/**
 * Takes `steps` from the budget.
 * @throws BudgetError if not enough steps are left; the budget is then empty and stays so.
 */
export function spendSteps(budget: Budget, steps: number): void {
  budget.steps -= steps;
  // Written so that NaN also ends the run. It would be the result of a mistake in a calculation.
  if (!(budget.steps >= 0)) {
    budget.steps = 0;
    throw new BudgetError();
  }
}

/**
 * An annotation result (JSON Schema 2020-12 Core, section 11) at the value's location. For objects, the name of an
 * evaluated property; for arrays, the index of an evaluated item, or `-n` for the first `n` items; null if all are
 * evaluated.
 */
export type Annotation = string | number | null;

/**
 * The annotations collected at one location, in order. The list is cut to drop those of a schema that fails.
 * Undefined if no surrounding schema needs them.
 */
export type Annotations = Annotation[] | undefined;

/** The wording of an issue. */
export interface IssueWording {
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The state of the report when a keyword began whose issues may be discarded. Only the report reads it. */
export interface ReportState {
  readonly listed: number;
}

/** A failed composite: its keyword and value. */
export interface FailedComposite {
  readonly node: SchemaNode;
  readonly keyword: string;
  readonly value: unknown;
  readonly place: ValuePlace | undefined;
}

/** Collects the issues of a run. */
export interface Reporter {
  /** The name being checked while the schema of `propertyNames` is applied. */
  propertyName: string | undefined;
  add(
    budget: Budget,
    failed: FailedComposite,
    wording: () => IssueWording,
    property?: string,
  ): void;
  /** Begins a keyword whose issues can be discarded; with its place if it has branches. */
  open(place?: ValuePlace): ReportState;
  /** Ends a failed branch of a composite. */
  endBranch(opened: ReportState, node: SchemaNode): void;
  /** Discards all issues since. */
  discard(opened: ReportState): void;
  /** Keeps the issues since as separate issues. */
  keep(opened: ReportState): void;
  /** Joins the issues of the branches since into one issue. `passed`: more than one branch passed. */
  join(
    opened: ReportState,
    budget: Budget,
    failed: FailedComposite,
    wording: IssueWording,
    passed: boolean,
  ): void;
}

/**
 * Collects the members that the valid schemas declare for each object. It is a list that is cut if a schema turns out
 * to fail.
 */
export interface DeclaredMembers {
  readonly size: number;
  /** Notes the schema of an object. */
  applied(node: SchemaNode, value: JsonObject): void;
  /** Notes that a schema declares some members of an object. */
  some(value: JsonObject): void;
  one(value: JsonObject, name: string): void;
  /** Notes that a schema defines what all other members may be. */
  all(value: JsonObject): void;
  /** Removes everything beyond a size, and returns it. */
  cut(size: number): unknown;
  /** Restores what was cut. */
  restore(cut: unknown): void;
}

/** One evaluation of a value. It is also the budget for its keywords. */
export interface EvaluationRun extends Budget {
  /**
   * How much schema compilation the run may still do; unlimited in a run with the full budget, so that its result
   * does not depend on what was compiled before.
   */
  compiling: number;
  /** How many nested schemas are being applied. */
  depth: number;
  readonly maxDepth: number;
  /** The index of the first annotation of the schema whose `unevaluated*` runs next. */
  marked: number;
  /** Collects issues; undefined if only the verdict is needed. */
  report: Reporter | undefined;
  /**
   * Collects declared members; undefined if they are not needed. Only set together with a report, so that every
   * keyword runs.
   */
  declared: DeclaredMembers | undefined;
  /** Returns `Object.keys`, cached for the last object. Spends a step for each key. */
  keysOf(value: JsonObject): readonly string[];
  /**
   * Returns {@link keysOf}, sorted by UTF-16 code unit, so that the order of issues does not depend on the order of
   * keys in the value.
   */
  sortedKeysOf(value: JsonObject): readonly string[];
}

/**
 * Evaluates a schema or one of its keywords. Stops at the first failure without a report; reports every failure with
 * one.
 * @param place undefined if neither issues nor exact numbers need it
 * @throws BudgetError if steps or depth run out
 */
export type KeywordCheck<T = unknown> = (
  run: EvaluationRun,
  value: T,
  place: ValuePlace | undefined,
  marks: Annotations,
) => boolean;

/** Reports a failure if issues are collected. Always returns false. */
export function reportFailure(
  run: EvaluationRun,
  node: SchemaNode,
  keyword: string,
  value: unknown,
  place: ValuePlace | undefined,
  wording: () => IssueWording,
  property?: string,
): false {
  run.report?.add(run, { node, keyword, value, place }, wording, property);
  return false;
}

/** Ignores everything. */
const SILENT: Reporter = {
  propertyName: undefined,
  add: () => {},
  open: () => ({ listed: 0 }),
  endBranch: () => {},
  discard: () => {},
  keep: () => {},
  join: () => {},
};

/** Evaluates without reporting anything. */
export function evaluateSilently(
  check: { readonly check: KeywordCheck },
  run: EvaluationRun,
  value: unknown,
  place: ValuePlace | undefined,
  marks: Annotations,
): boolean {
  const { report } = run;
  if (report === undefined) return check.check(run, value, place, marks);
  // With a report, every keyword runs, so that all declared members are collected.
  run.report = run.declared === undefined ? undefined : SILENT;
  const valid = check.check(run, value, place, marks);
  run.report = report;
  return valid;
}

/** Returns the place of an item or a member. */
export function placeBelow(
  run: EvaluationRun,
  place: ValuePlace | undefined,
  token: string | number,
): ValuePlace | undefined {
  if (place === undefined) return undefined;
  const tree: ExactTree | undefined = exactSubtree(place.tree, token);
  if (run.report === undefined && tree === undefined) return undefined;
  return new ValuePlace(place, token, tree);
}

/** Drops the annotations of a schema that failed (2020-12 Core, section 7.7.1). */
export function dropAnnotations(marks: Annotations, length: number): void {
  if (marks !== undefined) marks.length = length;
}

const hasOwn = Object.prototype.hasOwnProperty;

/** Returns whether the object has this own property. An undefined member does not exist in JSON. */
export function hasProperty(value: JsonObject, name: string): boolean {
  return value[name] !== undefined && hasOwn.call(value, name);
}

/** Returns the steps for reading a text once. */
export function textCost(text: string): number {
  return 1 + (text.length >>> 5);
}

/** @throws BudgetError always: the run has used up its steps */
export function throwExhausted(run: Budget): never {
  run.steps = 0;
  throw new BudgetError();
}

/** Where in the value a schema is applied: a link to the container's place, and the token from there. */
export class ValuePlace {
  readonly parent: ValuePlace | undefined;
  readonly token: string | number;
  readonly tree: ExactTree | undefined;
  private text: string | undefined;

  constructor(parent: ValuePlace | undefined, token: string | number, tree: ExactTree | undefined) {
    this.parent = parent;
    this.token = token;
    this.tree = tree;
  }

  /** The RFC 6901 pointer. Built on first use from those of the containers. */
  get pointer(): string {
    const missing: ValuePlace[] = [];
    let at: ValuePlace = this;
    while (at.text === undefined && at.parent !== undefined) {
      missing.push(at);
      at = at.parent;
    }
    at.text ??= "";
    let text = at.text;
    for (let place = missing.pop(); place !== undefined; place = missing.pop()) {
      text = joinPointer(text, place.token);
      place.text = text;
    }
    return text;
  }
}
