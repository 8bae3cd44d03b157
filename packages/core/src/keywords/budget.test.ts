import { describe, expect, it } from "vitest";
import { type Budget, BudgetError, spendSteps } from "./run.ts";

describe("spend", () => {
  it("subtracts steps down to zero", () => {
    const budget: Budget = { steps: 5 };
    spendSteps(budget, 3);
    expect(budget.steps).toBe(2);
    spendSteps(budget, 2);
    expect(budget.steps).toBe(0);
    expect(() => spendSteps(budget, 1)).toThrow(BudgetError);
  });

  it.each([6, Number.POSITIVE_INFINITY, Number.NaN])(
    "ends a run that asks for %d steps, and every later request",
    (steps) => {
      const budget: Budget = { steps: 5 };
      expect(() => spendSteps(budget, steps)).toThrow(BudgetError);
      expect(budget.steps).toBe(0);
      expect(() => spendSteps(budget, 1)).toThrow(BudgetError);
    },
  );
});
