import { type ExactTree, exactBelow } from "../json/exact-tree.ts";
import { joinPointer } from "../json/pointer.ts";
import type { JsonObject } from "../json/value.ts";
import type { SchemaNode } from "./node.ts";

/** What an evaluation may still cost. */
export interface Budget {
  /** Steps left; a step is about the work of one keyword on one scalar, 50 ns. */
  steps: number;
}

/** A run ended without a verdict because it would cost too much. */
export class BudgetError extends Error {
  override readonly name: string = "BudgetError";

  constructor(message: string = "the step budget is spent") {
    super(message);
  }
}

/**
 * Takes `steps` from the budget.
 * @throws BudgetError where this many are not left; the budget is then empty and stays so.
 */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  // Written so that NaN, which a wrong sum would give, ends the run too.
  if (!(budget.steps >= 0)) {
    budget.steps = 0;
    throw new BudgetError();
  }
}

/**
 * An annotation result (JSON Schema 2020-12 Core, section 11) at the value's location. For objects
 * the name of an evaluated property, for arrays the index of an evaluated item, or `-n` for the
 * first `n` items; null if all are evaluated.
 */
export type Mark = string | number | null;

/**
 * The annotations collected at one location, in order. Those of a schema that fails are dropped by
 * cutting the list. Undefined if no schema around asks for them.
 */
export type Marks = Mark[] | undefined;

/** How an issue is worded. */
export interface Wording {
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The report as it was when a keyword began whose issues may be taken back. Only the report reads it. */
export interface Opened {
  readonly listed: number;
}

/** A failed composite: which keyword, at which value. */
export interface Failed {
  readonly node: SchemaNode;
  readonly keyword: string;
  readonly value: unknown;
  readonly place: Place | undefined;
}

/** Collects the issues of a run. */
export interface Reporter {
  /** The name that is checked while the schema of `propertyNames` is applied. */
  propertyName: string | undefined;
  add(budget: Budget, failed: Failed, wording: () => Wording, property?: string): void;
  /** Begins a keyword whose issues can be taken back; with its place if it has branches. */
  open(place?: Place): Opened;
  /** Ends one branch of a composite that failed. */
  endBranch(opened: Opened, node: SchemaNode): void;
  /** Takes back every issue since. */
  discard(opened: Opened): void;
  /** Keeps the issues since, each for itself. */
  keep(opened: Opened): void;
  /** Turns the issues of the branches since into one issue. `passed`: more than one branch passed. */
  join(opened: Opened, budget: Budget, failed: Failed, wording: Wording, passed: boolean): void;
}

/**
 * Collects the members of each object that the schemas declare which hold there. It is a list that is cut where a
 * schema turns out not to hold.
 */
export interface Declared {
  readonly size: number;
  /** Notes the schema of an object. */
  applied(node: SchemaNode, value: JsonObject): void;
  /** Notes that a schema declares some members of an object. */
  some(value: JsonObject): void;
  one(value: JsonObject, name: string): void;
  /** Notes that a schema says of all other members what they may be. */
  all(value: JsonObject): void;
  /** Takes back everything beyond a size, and returns it. */
  cut(size: number): unknown;
  /** Puts back what was cut. */
  restore(cut: unknown): void;
}

/** One evaluation of a value. It is also the budget that keywords spend from. */
export interface Run extends Budget {
  /**
   * Work of compiling schemas that the run may still do; unlimited in a run with the full budget, so that its
   * result does not depend on what was compiled before.
   */
  compiling: number;
  /** How many schemas are being applied inside each other. */
  depth: number;
  readonly maxDepth: number;
  /** Where in the annotations those of the schema begin whose `unevaluated*` runs next. */
  marked: number;
  /** Collects issues; undefined if only the verdict is asked for. */
  report: Reporter | undefined;
  /** Collects what is declared; undefined if nobody asks. Set only beside a report, so that every keyword runs. */
  declared: Declared | undefined;
  /** `Object.keys`, remembered for the last object. Spends a step for each key. */
  keysOf(value: JsonObject): readonly string[];
  /** {@link keysOf}, sorted by UTF-16 code unit: the order of issues does not depend on the sender's. */
  sortedKeysOf(value: JsonObject): readonly string[];
}

/**
 * Evaluates a schema or one keyword of it. Without a report it stops at the first failure; with one
 * it reports every failure.
 * @param place undefined if neither issues nor exact numbers need it
 * @throws BudgetError if steps or depth run out
 */
export type Check<T = unknown> = (
  run: Run,
  value: T,
  place: Place | undefined,
  marks: Marks,
) => boolean;

/** Reports a failure if issues are asked for. Always returns false. */
export function fail(
  run: Run,
  node: SchemaNode,
  keyword: string,
  value: unknown,
  place: Place | undefined,
  wording: () => Wording,
  property?: string,
): false {
  run.report?.add(run, { node, keyword, value, place }, wording, property);
  return false;
}

/** Takes no notice. */
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
export function test(
  check: { readonly check: Check },
  run: Run,
  value: unknown,
  place: Place | undefined,
  marks: Marks,
): boolean {
  const { report } = run;
  if (report === undefined) return check.check(run, value, place, marks);
  // With a report every keyword runs, so that what it declares is collected.
  run.report = run.declared === undefined ? undefined : SILENT;
  const valid = check.check(run, value, place, marks);
  run.report = report;
  return valid;
}

/** Returns the place of an item or a member. */
export function below(
  run: Run,
  place: Place | undefined,
  token: string | number,
): Place | undefined {
  if (place === undefined) return undefined;
  const tree: ExactTree | undefined = exactBelow(place.tree, token);
  if (run.report === undefined && tree === undefined) return undefined;
  return new Place(place, token, tree);
}

/** Drops the annotations of a schema that failed (2020-12 Core, section 7.7.1). */
export function cutMarks(marks: Marks, length: number): void {
  if (marks !== undefined) marks.length = length;
}

const hasOwn = Object.prototype.hasOwnProperty;

/** Returns whether the object has the property as its own. A member that is undefined does not exist in JSON. */
export function hasProperty(value: JsonObject, name: string): boolean {
  return value[name] !== undefined && hasOwn.call(value, name);
}

/** Returns the steps for reading a text once. */
export function textCost(text: string): number {
  return 1 + (text.length >>> 5);
}

/** @throws BudgetError always: the steps of a run are used up */
export function exhausted(run: Budget): never {
  run.steps = 0;
  throw new BudgetError();
}

/** Where in the value a schema is applied: a link to the container, and the token from there. */
export class Place {
  readonly parent: Place | undefined;
  readonly token: string | number;
  readonly tree: ExactTree | undefined;
  private text: string | undefined;

  constructor(parent: Place | undefined, token: string | number, tree: ExactTree | undefined) {
    this.parent = parent;
    this.token = token;
    this.tree = tree;
  }

  /** The RFC 6901 pointer. Made when first asked for, from those of the containers. */
  get pointer(): string {
    const missing: Place[] = [];
    let at: Place = this;
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
