import { expect, it } from "vitest";
import { moved } from "./key-brush.tsx";
import { axisValues, niceMost, stackedHeights } from "./series.ts";

const series = (...values: (number | null)[]) => ({ name: "", color: "", values });

it("stacks each series on those before it", () => {
  expect(stackedHeights([series(1, 2), series(0, null), series(3, 1)])).toEqual([
    [1, 2],
    [1, 2],
    [4, 3],
  ]);
});

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 4],
  [7, 8],
  [11, 20],
  [99, 100],
  [100, 100],
  [401, 500],
  [Number.NaN, 1],
])("an axis for %d goes up to %d", (value, most) => expect(niceMost(value)).toBe(most));

it("names half of the most only if it is a value", () => {
  expect([axisValues(1, true), axisValues(1, false), axisValues(4, true)]).toEqual([
    [0, 1],
    [0, 0.5, 1],
    [0, 2, 4],
  ]);
});

it.each([
  ["the last step first", "ArrowLeft", false, undefined, { from: 9, to: 9 }],
  ["one step back", "ArrowLeft", false, { from: 9, to: 9 }, { from: 8, to: 8 }],
  ["not before the first", "ArrowLeft", false, { from: 0, to: 0 }, { from: 0, to: 0 }],
  ["an extended choice", "ArrowLeft", true, { from: 9, to: 9 }, { from: 9, to: 8 }],
  ["everything up to the first", "Home", true, { from: 9, to: 9 }, { from: 9, to: 0 }],
  ["nothing for other keys", "a", false, undefined, undefined],
])("keys choose %s", (_, key, shiftKey, chosen, next) => {
  expect(moved({ key, shiftKey }, chosen, 9)).toEqual(next);
});
