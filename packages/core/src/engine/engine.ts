import { type ExactDecimals, NO_DECIMALS } from "../json/exact.ts";
import { buildExactTree } from "../json/exact-tree.ts";
import { exceedsLimit, measureValue } from "../json/measure.ts";
import { isObject, type JsonObject } from "../json/value.ts";
import { mayLoop } from "../keywords/edges.ts";
import type { AppliedSchema } from "../keywords/keyword.ts";
import type { SchemaGraph, SchemaNode } from "../keywords/node.ts";
import { alwaysDeclared, isClosed, type Openness, opennessOf } from "../keywords/openness.ts";
import {
  type Budget,
  BudgetError,
  type EvaluationRun,
  type Reporter,
  spendSteps,
  ValuePlace,
} from "../keywords/run.ts";
import { RuleSet, type Undeclared } from "../treatment.ts";
import { compiler } from "./compile.ts";
import type { FailureExplanation, KeywordError } from "./context.ts";
import { formatCheck, numberFormatCheck } from "./format/format.ts";
import { compilePattern } from "./pattern/pattern.ts";
import { Report } from "./report.ts";
import { Declarations } from "./undeclared.ts";

/**
 * How deep schemas may be applied inside each other, over the depths of value and schema together. This fits on the
 * stack beside the caller's frames. Values of the usual depth of 64 stay far below; a reference that leads back to
 * itself on the same value reaches it after that many steps.
 */
const MAX_DEPTH = 800;

const NO_KEYS: readonly string[] = [];

/** One evaluation of a value by a compiled schema. */
export class Evaluation implements EvaluationRun {
  steps: number;
  depth: number = 0;
  compiling: number = Number.POSITIVE_INFINITY;
  readonly maxDepth: number;
  marked: number = 0;
  /** Whether a value is being evaluated. */
  busy: boolean = false;
  report: Reporter | undefined;
  declared: Declarations | undefined;
  private lastObject: JsonObject | undefined;
  private lastKeys: readonly string[] = NO_KEYS;
  private isSorted: boolean = false;

  constructor(steps: number, report?: Reporter, maxDepth: number = MAX_DEPTH) {
    this.steps = steps;
    this.maxDepth = maxDepth;
    this.report = report;
  }

  /** Prepares it for another value. */
  reset(): void {
    this.busy = false;
    this.depth = 0;
    this.lastObject = undefined;
    this.lastKeys = NO_KEYS;
  }

  keysOf(value: JsonObject): readonly string[] {
    if (value !== this.lastObject) {
      this.lastKeys = Object.keys(value);
      this.lastObject = value;
      this.isSorted = false;
    }
    spendSteps(this, this.lastKeys.length);
    return this.lastKeys;
  }

  sortedKeysOf(value: JsonObject): readonly string[] {
    const keys = this.keysOf(value);
    if (!this.isSorted) {
      spendSteps(this, keys.length);
      this.lastKeys = keys.toSorted();
      this.isSorted = true;
    }
    return this.lastKeys;
  }

  /**
   * Applies a schema to the whole value.
   * @throws BudgetError if steps, depth or stack run out
   */
  start(root: AppliedSchema, value: unknown, decimals: ExactDecimals): boolean {
    const tree = decimals.size === 0 ? undefined : buildExactTree(decimals);
    const needed = tree !== undefined || this.report !== undefined;
    const place = needed ? new ValuePlace(undefined, "", tree) : undefined;
    try {
      const valid = root.check(this, value, place, undefined);
      if (place !== undefined) this.declared?.report(this, value, place);
      return valid;
    } catch (thrown) {
      // An exhausted stack, or a division that would take too long.
      if (thrown instanceof RangeError) throw new BudgetError(thrown.message);
      throw thrown;
    }
  }
}

/** A parsed value, for the engine. */
export interface Instance {
  readonly value: unknown;
  /** The exact values of numbers that do not fit a double. */
  readonly decimals: ExactDecimals;
  /** Bytes of its JSON text, or a lower bound. */
  readonly bytes: number;
}

/** Steps of a check: this base, and this many more for each byte of the value. A step takes about 20 ns. */
const BASE_STEPS = 1_000_000;
const STEPS_PER_BYTE = 64;
/** How much compiling a check may do if it must not take long, in units of about a microsecond. */
const COMPILE_NOW = 1_000;
/** The largest and deepest value to measure if a verdict needs more than the base. */
const MAX_BYTES = 5_242_880;
const MAX_LEVELS = 1000;

/** Returns how many steps the check of a value may take. They depend only on its size. */
export function fullBudget(bytes: number): number {
  return BASE_STEPS + STEPS_PER_BYTE * bytes;
}

/** What to check. */
export interface EvaluationRequest {
  readonly maxIssues: number;
  /** How many steps it may take, instead of the full budget. */
  readonly steps?: number | undefined;
  /** How issues count. If undefined, all count as violations. */
  readonly rules?: RuleSet | undefined;
  /** How undeclared members count; undefined: they are ignored. */
  readonly undeclared?: Undeclared | undefined;
}

const NO_RULES = new RuleSet({});

const compiled = compiler({
  format: formatCheck,
  numberFormat: numberFormatCheck,
  pattern: compilePattern,
});

/** Returns whether a value satisfies the schema of one node. @throws BudgetError */
export function satisfiesNode(node: SchemaNode, value: unknown, budget: Budget): boolean {
  const run = new Evaluation(budget.steps);
  try {
    return run.start(compiled(node), value, NO_DECIMALS);
  } finally {
    budget.steps = run.steps;
  }
}

/**
 * Returns the first errors of a value by the schema of one node, as if the value were the root; none if it satisfies
 * the schema.
 * @throws BudgetError
 */
export function errorsOfNode(
  node: SchemaNode,
  value: unknown,
  budget: Budget,
  maxIssues: number,
): readonly KeywordError[] {
  const report = new Report(node, maxIssues);
  const run = new Evaluation(budget.steps, report);
  try {
    run.start(compiled(node), value, NO_DECIMALS);
    return report.explanation().errors;
  } finally {
    budget.steps = run.steps;
  }
}

/**
 * Returns all issues of a value, with the words, parameters and order of Ajv's `allErrors`, up to `maxIssues`; none
 * if it is valid. For values that are bounded already: steps and depth are not limited.
 */
export function issuesOf(
  graph: SchemaGraph,
  value: unknown,
  decimals: ExactDecimals,
  maxIssues: number,
): FailureExplanation | undefined {
  const root = compiled(graph.root);
  const verdict = new Evaluation(Number.POSITIVE_INFINITY, undefined, Number.POSITIVE_INFINITY);
  if (verdict.start(root, value, decimals)) return undefined;
  const report = new Report(graph.root, maxIssues);
  const run = new Evaluation(Number.POSITIVE_INFINITY, report, Number.POSITIVE_INFINITY);
  run.start(root, value, decimals);
  return report.explanation();
}

/** Checks values by a schema's graph. The same closures produce the verdict and the issues. */
export class Engine {
  readonly graph: SchemaGraph;
  readonly #root: AppliedSchema;
  #openness: Openness | undefined;
  #mayLoop: boolean | undefined;
  #declared: ReadonlySet<string> | undefined;
  /** Reused for each verdict, so that they allocate nothing. */
  readonly #run: Evaluation = new Evaluation(0);

  constructor(graph: SchemaGraph) {
    this.graph = graph;
    this.#root = compiled(graph.root);
  }

  /**
   * Returns whether a value, whose numbers are doubles, is valid. False if it cannot be checked within the step
   * budget, and for one beyond 5,242,880 bytes or 1,000 levels that needs more than the base.
   * @param budget the steps that the check may take instead; none are left if it could not be finished
   * @throws errors of the value's getters
   */
  isValid(value: unknown, budget?: Budget): boolean {
    if (budget !== undefined) return this.#isValidWithin(value, budget);
    try {
      return this.#verdict(value, NO_DECIMALS, BASE_STEPS, Number.POSITIVE_INFINITY);
    } catch (thrown) {
      if (!(thrown instanceof BudgetError)) throw thrown;
    }
    const bytes = measureValue(value, MAX_LEVELS, MAX_BYTES);
    if (exceedsLimit(bytes)) return false;
    return this.#verdict(value, NO_DECIMALS, fullBudget(bytes), Number.POSITIVE_INFINITY);
  }

  #isValidWithin(value: unknown, budget: Budget): boolean {
    try {
      return satisfiesNode(this.graph.root, value, budget);
    } catch (thrown) {
      // Depth or stack may have run out before the steps.
      budget.steps = 0;
      if (!(thrown instanceof BudgetError)) throw thrown;
      return false;
    }
  }

  /**
   * Whether the schema may apply itself to the same value, so that a check that reaches this reference does not end.
   */
  get mayLoop(): boolean {
    this.#mayLoop ??= mayLoop(this.graph);
    return this.#mayLoop;
  }

  /** The names of members that the schema always declares for the whole value. */
  get alwaysDeclared(): ReadonlySet<string> {
    this.#declared ??= alwaysDeclared(this.graph);
    return this.#declared;
  }

  /** Whether a valid object has no members but those of {@link alwaysDeclared}. */
  get isClosed(): boolean {
    return isClosed(this.graph);
  }

  /** What the schema says about undeclared members. */
  get openness(): Openness {
    this.#openness ??= opennessOf(this.graph);
    return this.#openness;
  }

  /**
   * Checks a value. Returns its issues, or undefined if it has none.
   * @param isValid whether the value is known to satisfy the schema
   * @throws BudgetError if steps run out, and errors of the value's getters
   */
  check(
    { value, decimals, bytes }: Instance,
    { maxIssues, steps: now, rules, undeclared }: EvaluationRequest,
    isValid: boolean = false,
  ): FailureExplanation | undefined {
    const steps = now ?? fullBudget(bytes);
    const compiling = now === undefined ? Number.POSITIVE_INFINITY : COMPILE_NOW;
    const valid = isValid || this.#verdict(value, decimals, steps, compiling);
    const isLooked = undeclared !== undefined && this.openness !== "empty";
    if (valid && !(isLooked && this.#mayBeUndeclared(value, undeclared))) return undefined;
    const isTreated = rules !== undefined || isLooked;
    const treating = { rules: rules ?? NO_RULES, undeclared: undeclared?.treat };
    const report = new Report(this.graph.root, maxIssues, isTreated ? treating : undefined);
    // A step that may add an issue takes longer than a step of a check without a report.
    const reporting = now === undefined || valid ? steps : now >> 2;
    const run = new Evaluation(reporting, report);
    if (isLooked) {
      run.compiling = compiling;
      run.declared = new Declarations(undeclared.deep === true ? undefined : value);
    }
    run.start(this.#root, value, decimals);
    const explanation = report.explanation();
    return explanation.total === 0 ? undefined : explanation;
  }

  /**
   * Returns whether a valid value must be searched for undeclared members. Most schemas declare all members always.
   */
  #mayBeUndeclared(value: unknown, { deep }: Undeclared): boolean {
    if (!isObject(value)) return deep === true && Array.isArray(value);
    if (deep === true) return true;
    const declared = this.alwaysDeclared;
    for (const name of Object.keys(value)) if (!declared.has(name)) return true;
    return false;
  }

  /** @throws BudgetError if steps, depth or stack run out */
  #verdict(value: unknown, decimals: ExactDecimals, steps: number, compiling: number): boolean {
    // A getter of the value may start another check by the same schema.
    const run = this.#run.busy ? new Evaluation(0) : this.#run;
    run.busy = true;
    run.steps = steps;
    run.compiling = compiling;
    try {
      return run.start(this.#root, value, decimals);
    } finally {
      run.reset();
    }
  }
}
