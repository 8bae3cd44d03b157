import { describe, expect, it } from "vitest";
import { type Budget, BudgetError, spend, visit } from "./budget.ts";

describe("spend", () => {
  it("takes steps down to the last one", () => {
    const budget: Budget = { steps: 5 };
    spend(budget, 3);
    expect(budget.steps).toBe(2);
    spend(budget, 2);
    expect(budget.steps).toBe(0);
    expect(() => spend(budget, 1)).toThrow(BudgetError);
  });

  it.each([6, Number.POSITIVE_INFINITY, Number.NaN])(
    "ends the run that asks for %d, and whatever comes after",
    (steps) => {
      const budget: Budget = { steps: 5 };
      expect(() => spend(budget, steps)).toThrow(BudgetError);
      expect(budget.steps).toBe(0);
      expect(() => spend(budget, 1)).toThrow(BudgetError);
    },
  );
});

describe("visit", () => {
  it("takes places down to the last one, and steps never", () => {
    const budget: Budget = { steps: 5, places: 3 };
    visit(budget, 1);
    visit(budget, 2);
    expect(budget).toEqual({ steps: 5, places: 0 });
    expect(() => visit(budget, 1)).toThrow(BudgetError);
  });

  it("counts nothing where nothing is to be counted", () => {
    const budget: Budget = { steps: 5 };
    visit(budget, 1_000_000);
    expect(budget).toEqual({ steps: 5 });
  });

  it("ends where a wrong sum is given", () => {
    expect(() => visit({ steps: 5, places: 3 }, Number.NaN)).toThrow(BudgetError);
  });
});
