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
