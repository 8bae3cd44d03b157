/** Cells of all comparisons of names, each about one character against another. */
const MAX_CELLS = 1_000_000;
/** Steps of all values that are tried, and of one. */
const MAX_STEPS = 50_000;
const MAX_TRIAL = 5_000;

/**
 * What looking for what may have been meant costs, for all errors of one check together: a schema
 * and a value from strangers can make each of a thousand errors dear. Once it is spent, nothing more
 * is found. It counts work and no time, so that equal checks find equal things.
 */
export class Effort {
  #cells = MAX_CELLS;
  #steps = MAX_STEPS;

  /** Takes so many cells; false where they are not left. */
  compare(cells: number): boolean {
    this.#cells -= cells;
    return this.#cells >= 0;
  }

  /** Has a value tried with the steps that it may take, and takes those that it took. */
  attempt<T>(run: (budget: { steps: number }) => T): T {
    const budget = { steps: Math.max(0, Math.min(MAX_TRIAL, this.#steps)) };
    const before = budget.steps;
    try {
      return run(budget);
    } finally {
      this.#steps -= before - budget.steps;
    }
  }
}
