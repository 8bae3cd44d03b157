/**
 * What a run may still cost. Both engines take from the same object, so that a value that is judged
 * and then explained has one bound for both.
 */
export interface Budget {
  /** Steps left; a step is about the work of one keyword on one scalar. */
  steps: number;
  /**
   * Set where something outside ends whatever runs too long. Matching of patterns is then charged
   * for what it is likely to take, not for the most that it can take.
   */
  readonly deadline?: boolean;
  /**
   * Places of the value that a quick verdict may still go to; without it, the value was measured
   * before and no one counts.
   */
  places?: number;
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
 * @throws BudgetError where so many are not left; the budget is then empty and stays so.
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
 * Takes so many places from a budget that has a number of them.
 * @throws BudgetError where so many are not left
 */
export function visit(budget: Budget, places: number): void {
  if (budget.places === undefined) return;
  budget.places -= places;
  if (!(budget.places >= 0)) throw new BudgetError();
}
