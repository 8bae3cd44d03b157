import { describe, expect, it } from "vitest";
import { type Budget, BudgetError, spend } from "./run.ts";

describe("spend", () => {
  it("subtracts steps down to zero", () => {
    const budget: Budget = { steps: 5 };
    spend(budget, 3);
    expect(budget.steps).toBe(2);
    spend(budget, 2);
    expect(budget.steps).toBe(0);
    expect(() => spend(budget, 1)).toThrow(BudgetError);
  });

  it.each([6, Number.POSITIVE_INFINITY, Number.NaN])(
    "ends a run that asks for %d steps, and every later request",
    (steps) => {
      const budget: Budget = { steps: 5 };
      expect(() => spend(budget, steps)).toThrow(BudgetError);
      expect(budget.steps).toBe(0);
      expect(() => spend(budget, 1)).toThrow(BudgetError);
    },
  );
});
