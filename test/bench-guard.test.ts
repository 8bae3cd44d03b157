import { expect, it } from "vitest";

const budgets = new URL("../tools/bench/guard/budgets.mjs", import.meta.url).href;
const { BUDGETS, compareFigures } = await import(budgets);

it.each([
  [2, true, false],
  [2.01, false, false],
  [3, false, false],
  [3.01, false, true],
  [Number.NaN, false, true],
  [Number.POSITIVE_INFINITY, false, true],
])("compares %d with a budget of 2", (value, isMet, isOver) => {
  const [row] = compareFigures(new Map([["a", value]]), { a: 2, b: 1 });
  expect(row).toEqual({ name: "a", value, budget: 2, limit: 3, isMet, isOver });
});

it("does not compare a figure that has no budget", () => {
  expect(() => compareFigures(new Map([["a call", 1]]), BUDGETS)).toThrow("a call has no budget");
});
