import {
  type Budget,
  type CompiledSchema,
  compilePattern,
  type Pattern,
} from "@touchstone/core/advanced";

/**
 * How many steps the test of a text may take, besides some for each character. A pattern that needs more would run on
 * an automaton, which is slow to start.
 */
const TEST_STEPS = 500;
const TEST_STEPS_PER_CHARACTER = 60;
/** How many steps the check of one value may take. */
const MAX_CHECK_STEPS = 1_000_000;
/** Steps for each character of a pattern, to compile it. */
const STEPS_PER_CHARACTER = 50;

/**
 * The work that may be done with untrusted schemas. It is counted in steps, so that it always ends at the same point.
 */
export class BoundedWork {
  #left: number;
  /** Undefined for a pattern that is invalid, or whose test took too long. */
  readonly #patterns: Map<string, Pattern | undefined> = new Map();

  /** @param steps how many steps it may take in total */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** Whether no steps are left. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  spend(steps: number): void {
    this.#left -= steps;
  }

  /** Returns whether a schema accepts a value; undefined if that takes too many steps. */
  accepts(schema: CompiledSchema, value: unknown): boolean | undefined {
    return this.#within(MAX_CHECK_STEPS, (budget) => {
      const isValid = schema.isValid(value, budget);
      return budget.steps > 0 ? isValid : undefined;
    });
  }

  /**
   * Returns whether a text matches a pattern; undefined if that is unknown. A pattern whose test takes too many steps is
   * not tested again.
   */
  matches(source: string, text: string): boolean | undefined {
    const pattern = this.isOver ? undefined : this.#compiled(source);
    if (pattern === undefined) return undefined;
    const most = TEST_STEPS + TEST_STEPS_PER_CHARACTER * text.length;
    return this.#within(most, (budget) => {
      try {
        return pattern.test(text, budget);
      } catch {
        this.#patterns.set(source, undefined);
        return undefined;
      }
    });
  }

  #compiled(source: string): Pattern | undefined {
    if (this.#patterns.has(source)) return this.#patterns.get(source);
    this.spend(STEPS_PER_CHARACTER * source.length);
    let pattern: Pattern | undefined;
    try {
      pattern = compilePattern(source);
    } catch {
      pattern = undefined;
    }
    this.#patterns.set(source, pattern);
    return pattern;
  }

  #within<T>(most: number, run: (budget: Budget) => T): T | undefined {
    if (this.isOver) return undefined;
    const steps = Math.min(this.#left, most);
    const budget: Budget = { steps };
    const result = run(budget);
    this.spend(steps - budget.steps);
    return result;
  }
}
