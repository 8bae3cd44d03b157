import { type Decimals, NO_DECIMALS } from "../json/exact.ts";
import { isExcess, measureValue } from "../json/measure.ts";
import { type Budget, BudgetError } from "./budget.ts";
import { checkTime, type Deadline, DeadlineError } from "./deadline.ts";
import { formatCheck, numberFormatCheck } from "./format/format.ts";
import type { SchemaGraph } from "./graph/node.ts";
import { Acceptor } from "./image/acceptor.ts";
import type { Context, Explanation } from "./interpret/context.ts";
import { explain, isValid } from "./interpret/interpret.ts";
import { Patience } from "./patience.ts";
import { compilePattern } from "./pattern/pattern.ts";
import { rememberPatterns } from "./pattern/remember.ts";
import { hasManyPatterns, PROVEN_WORK, WorkProof } from "./proof.ts";
import type { Verdict } from "./verdict.ts";
import { compileVerdict, engineReady, hasCompiler } from "./verdicts.ts";

/** A parsed value, as the engines take it. */
export interface Instance {
  readonly value: unknown;
  /** The exact values of its numbers that are no doubles. */
  readonly decimals: Decimals;
  /** Bytes of its JSON text, or at least that many. */
  readonly bytes: number;
}

/** Time for a compilation, in milliseconds, where there is a deadline. */
const COMPILE_MS = 200;
/** Steps of a check: this many, and so many more for each byte of the value. */
const BASE_STEPS = 100_000;
const STEPS_PER_BYTE = 16;
/** Without a deadline, schemas of more nodes than this are not handed to Ajv's compiler. */
const MAX_UNTIMED_NODES = 500;
/** Up to so many nodes, Ajv's compiler is done in time, and needs no deadline that costs as much. */
const MAX_QUICK_NODES = 64;
/** The largest value that is measured where no verdict was quick, and the deepest. */
const MAX_BYTES = 5_242_880;
const MAX_LEVELS = 1000;
/** The interpreter makes each node ready when it first comes to it; of more nodes that takes time. */
const MAX_COLD_NODES = 4_000;
/** Checks that the interpreter does before a schema is worth compiling. */
const WARM_UP = 3;
/** How often a compilation is tried that ran out of time: the machine may have been busy. */
const COMPILATIONS = 3;

/**
 * Judges values by a schema's graph. Ajv gives the verdict where it is right and the schema is used
 * often enough to be worth compiling; the interpreter gives it elsewhere, and all the issues. Which
 * of them ran is not to be told from the outside.
 */
export class SchemaJudge {
  readonly graph: SchemaGraph;
  /** Tells of texts that they are valid, without a value being made of them. */
  readonly acceptor: Acceptor;
  readonly #proof: WorkProof;
  readonly #deadline: Deadline | undefined;
  #verdict: Verdict | undefined;
  /** Bytes or places up to which the verdict needs no deadline; negative while there is none. */
  #quickBytes = -1;
  readonly #quickBudget: Budget;
  #compileAt = WARM_UP + 1;
  #compilations = 0;
  readonly #patience: Patience = new Patience((ms, task) => this.#within(ms, task));
  #checks = 0;
  #hasManyPatterns: boolean | undefined;

  constructor(graph: SchemaGraph, deadline: Deadline | undefined) {
    this.graph = graph;
    this.acceptor = new Acceptor(graph);
    this.#proof = new WorkProof(graph, { deadline: deadline !== undefined });
    this.#deadline = deadline;
    this.#quickBudget = { ...this.#budget(0), places: 0 };
    // Of a large schema it takes time, which a compilation has and a check has not.
    if (graph.nodes.length > MAX_QUICK_NODES) void this.#proof.cost;
  }

  /**
   * Whether a value of any size, whose numbers are doubles, is valid; one that cannot be judged
   * within its bounds is not.
   * @throws as {@link judge}
   */
  isValid(value: unknown): boolean {
    if (this.#verdict !== undefined && this.#quickBytes > 0) {
      // One object for all: a value's getter that asks again has the time that it takes anyway.
      const budget = this.#quickBudget;
      budget.steps = BASE_STEPS;
      budget.places = this.#quickBytes;
      try {
        return this.#verdict(value, budget);
      } catch (thrown) {
        if (!(thrown instanceof BudgetError)) throw thrown;
      }
    }
    const bytes = measureValue(value, MAX_LEVELS, MAX_BYTES);
    if (isExcess(bytes)) return false;
    const instance = { value, decimals: NO_DECIMALS, bytes };
    return this.#isValidMeasured(this.#engine(instance), instance);
  }

  /**
   * Judges a value: its errors, or undefined where it is valid.
   * @throws BudgetError where steps or time run out, and whatever an engine throws
   */
  judge(instance: Instance, maxIssues: number): Explanation | undefined {
    const verdict = this.#engine(instance);
    if (!this.#isOverInTime(verdict, instance)) {
      return this.#timed(instance, () =>
        this.#isGood(verdict, instance) ? undefined : this.#explain(instance, maxIssues),
      );
    }
    if (this.#isGood(verdict, instance)) return undefined;
    return this.#explainInTime(instance, maxIssues);
  }

  #isValidMeasured(verdict: Verdict | undefined, instance: Instance): boolean {
    const isGood = (): boolean => this.#isGood(verdict, instance);
    return this.#isOverInTime(verdict, instance) ? isGood() : this.#timed(instance, isGood);
  }

  /** Ajv's verdict, where it may be asked about this value. */
  #engine({ decimals }: Instance): Verdict | undefined {
    if (this.#verdict === undefined) {
      this.#checks += 1;
      if (this.#checks === WARM_UP) void engineReady();
      if (this.#checks >= this.#compileAt && hasCompiler()) this.#compile();
    }
    return decimals.size > 0 ? undefined : this.#verdict;
  }

  #isGood(verdict: Verdict | undefined, instance: Instance): boolean {
    return verdict === undefined
      ? isValid(this.graph, instance.value, this.#context(instance))
      : verdict(instance.value, this.#budget(instance.bytes));
  }

  #explain(instance: Instance, maxIssues: number): Explanation {
    return explain(this.graph, instance.value, this.#context(instance), { maxIssues });
  }

  #explainInTime(instance: Instance, maxIssues: number): Explanation {
    const explained = (): Explanation => this.#explain(instance, maxIssues);
    return this.#isOverInTime(undefined, instance) ? explained() : this.#timed(instance, explained);
  }

  /** Whether it is proven that an engine, the interpreter without a verdict, needs no deadline. */
  #isOverInTime(verdict: Verdict | undefined, { bytes }: Instance): boolean {
    if (verdict === undefined && this.graph.nodes.length > MAX_COLD_NODES) return false;
    const most = verdict === undefined ? PROVEN_WORK.interpreter : PROVEN_WORK.verdict;
    return this.#proof.holds && bytes <= this.#proof.bytesFor(most);
  }

  #compile(): void {
    this.#compileAt = Number.POSITIVE_INFINITY;
    if (!Number.isFinite(this.#proof.cost)) return;
    // Without a deadline nothing would end it where it is not proven to be cheap.
    const untimed = this.#deadline === undefined;
    if (untimed && (!this.#proof.holds || this.graph.nodes.length > MAX_UNTIMED_NODES)) return;
    try {
      const task = (): Verdict | undefined => compileVerdict(this.graph);
      const quick = this.#proof.holds && this.graph.nodes.length <= MAX_QUICK_NODES;
      this.#verdict = quick ? task() : this.#within(COMPILE_MS, task);
      if (this.#proof.holds) this.#quickBytes = this.#proof.bytesFor(PROVEN_WORK.verdict);
    } catch (thrown) {
      // Too large for it, or code generation is forbidden: the interpreter goes on.
      this.#compilations += 1;
      const again = thrown instanceof DeadlineError && this.#compilations < COMPILATIONS;
      if (again) this.#compileAt = this.#checks * 10;
    }
  }

  #context(instance: Instance): Context {
    this.#hasManyPatterns ??= hasManyPatterns(this.graph);
    return {
      decimals: instance.decimals,
      budget: this.#budget(instance.bytes),
      formats: formatCheck,
      numberFormats: numberFormatCheck,
      patterns: this.#hasManyPatterns ? rememberPatterns(compilePattern) : compilePattern,
    };
  }

  #budget(bytes: number): Budget {
    const steps = BASE_STEPS + STEPS_PER_BYTE * bytes;
    return this.#deadline === undefined ? { steps } : { steps, deadline: true };
  }

  #timed<T>({ bytes }: Instance, task: () => T): T {
    try {
      // What is left of the time is for the proof, after which the next check may need no deadline.
      return this.#patience.run(checkTime(bytes), task, () => this.#proof.find());
    } catch (thrown) {
      throw thrown instanceof DeadlineError ? new BudgetError(thrown.message) : thrown;
    }
  }

  #within<T>(milliseconds: number, task: () => T): T {
    return this.#deadline === undefined ? task() : this.#deadline.run(milliseconds, task);
  }
}
