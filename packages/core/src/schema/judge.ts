import type { Decimals } from "../json/exact.ts";
import { type Budget, BudgetError } from "./budget.ts";
import { type Deadline, DeadlineError } from "./deadline.ts";
import { formatCheck, numberFormatCheck } from "./format/format.ts";
import { costPerPlace } from "./graph/cost.ts";
import { emitSchema } from "./graph/emit.ts";
import type { SchemaGraph } from "./graph/node.ts";
import type { Context, Explanation } from "./interpret/context.ts";
import { explain, isValid } from "./interpret/interpret.ts";
import { compilePattern } from "./pattern/pattern.ts";
import { makeVerdict, type Verdict } from "./verdict.ts";

/** A parsed value, as the engines take it. */
export interface Instance {
  readonly value: unknown;
  /** The exact values of its numbers that are no doubles. */
  readonly decimals: Decimals;
  /** Bytes of its JSON text, or at least that many. */
  readonly bytes: number;
}

/** Time for a check and for a compilation, in milliseconds, where there is a deadline. */
const CHECK_MS = 50;
const COMPILE_MS = 200;
/** Steps of a check: this many, and so many more for each byte of the value. */
const BASE_STEPS = 100_000;
const STEPS_PER_BYTE = 4;
/**
 * Keywords times bytes up to which a check is over in time, whatever the value: by Ajv, and by the
 * interpreter. It needs no deadline then, which on a busy machine would end good checks as well.
 */
const PROVEN_WORK = { verdict: 2_000_000, interpreter: 200_000 } as const;
/** Without a deadline, schemas of more nodes than this are not handed to Ajv's compiler. */
const MAX_UNTIMED_NODES = 500;
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
  readonly #deadline: Deadline | undefined;
  #verdict: Verdict | undefined;
  #compileAt = WARM_UP + 1;
  #compilations = 0;
  #checks = 0;
  #cost: number | undefined;
  #proven: boolean | undefined;

  constructor(graph: SchemaGraph, deadline: Deadline | undefined) {
    this.graph = graph;
    this.#deadline = deadline;
  }

  /** Keywords that are evaluated for each place of a value at most; infinite without such a bound. */
  get cost(): number {
    this.#cost ??= costPerPlace(this.graph);
    return this.#cost;
  }

  /**
   * Whether nothing in the schema can take longer than its length suggests: the number of keywords
   * for each place is bounded, and every pattern is proven to be linear. Such a schema runs without
   * the deadline on values that are small for it.
   */
  get proven(): boolean {
    this.#proven ??= Number.isFinite(this.cost) && patternsAreLinear(this.graph);
    return this.#proven;
  }

  /**
   * Judges a value: its errors, or undefined where it is valid.
   * @throws BudgetError where steps or time run out, and whatever an engine throws
   */
  judge(instance: Instance, maxIssues: number): Explanation | undefined {
    const verdict = this.#fast(instance);
    const isGood = (): boolean =>
      verdict === undefined
        ? isValid(this.graph, instance.value, this.#context(instance))
        : verdict(instance.value, this.#budget(instance));
    const explained = (): Explanation =>
      explain(this.graph, instance.value, this.#context(instance), { maxIssues });
    const work = this.proven ? this.cost * instance.bytes : Number.POSITIVE_INFINITY;
    const { interpreter } = PROVEN_WORK;
    if (work > (verdict === undefined ? interpreter : PROVEN_WORK.verdict)) {
      return this.#timed(() => (isGood() ? undefined : explained()));
    }
    if (isGood()) return undefined;
    return work <= interpreter ? explained() : this.#timed(explained);
  }

  /** Ajv's verdict, where it may be asked about this value. */
  #fast({ decimals }: Instance): Verdict | undefined {
    this.#checks += 1;
    if (decimals.size > 0 || this.graph.lossy) return undefined;
    if (this.#checks >= this.#compileAt) this.#compile();
    // Without a deadline nothing would end it where it is not proven to be cheap.
    return this.#deadline === undefined && !this.proven ? undefined : this.#verdict;
  }

  #compile(): void {
    this.#compileAt = Number.POSITIVE_INFINITY;
    if (!Number.isFinite(this.cost)) return;
    if (this.#deadline === undefined && this.graph.nodes.length > MAX_UNTIMED_NODES) return;
    try {
      this.#verdict = this.#within(COMPILE_MS, () => {
        const emitted = emitSchema(this.graph);
        return emitted.needsInterpreter === undefined ? makeVerdict(emitted) : undefined;
      });
    } catch (thrown) {
      // Too large for it, or code generation is forbidden: the interpreter goes on.
      this.#compilations += 1;
      const again = thrown instanceof DeadlineError && this.#compilations < COMPILATIONS;
      if (again) this.#compileAt = this.#checks * 10;
    }
  }

  #context(instance: Instance): Context {
    return {
      decimals: instance.decimals,
      budget: this.#budget(instance),
      formats: formatCheck,
      numberFormats: numberFormatCheck,
      patterns: compilePattern,
    };
  }

  #budget({ bytes }: Instance): Budget {
    const steps = BASE_STEPS + STEPS_PER_BYTE * bytes;
    return this.#deadline === undefined ? { steps } : { steps, deadline: true };
  }

  #timed<T>(task: () => T): T {
    try {
      return this.#within(CHECK_MS, task);
    } catch (thrown) {
      throw thrown instanceof DeadlineError ? new BudgetError(thrown.message) : thrown;
    }
  }

  #within<T>(milliseconds: number, task: () => T): T {
    return this.#deadline === undefined ? task() : this.#deadline.run(milliseconds, task);
  }
}

function patternsAreLinear({ nodes }: SchemaGraph): boolean {
  const sources = nodes.flatMap(({ pattern, patternProperties = [] }) => [
    ...(pattern === undefined ? [] : [pattern.source]),
    ...patternProperties.map(([{ source }]) => source),
  ]);
  return sources.every((source) => compilePattern(source).kind === "native");
}
