import fc from "fast-check";
import { expect, it } from "vitest";
import { samplePositions } from "./sample-positions.ts";

it("spread selects everything if there are no more than allowed", () => {
  expect(samplePositions(0, 50, 1)).toEqual([]);
  expect(samplePositions(50, 50, 7)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

it("spread selects as many as allowed: the first, the last, and some evenly between", () => {
  fc.assert(
    fc.property(fc.integer({ min: 51, max: 100_000 }), fc.nat(), (length, turn) => {
      const taken = samplePositions(length, 50, turn);
      expect(new Set(taken).size).toBe(50);
      expect(taken).toEqual([...taken].sort((a, b) => a - b));
      expect(taken.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(taken.slice(-10)).toEqual(Array.from({ length: 10 }, (_, i) => length - 10 + i));
      const gaps = taken.slice(1).map((at, i) => at - (taken[i] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * Math.ceil((length - 20) / 30));
    }),
  );
});

it("spread selects others on each turn until it has selected all", () => {
  const taken = new Set(
    Array.from({ length: 100 }, (_, turn) => samplePositions(1_000, 50, turn)).flat(),
  );
  expect(taken.size).toBe(1_000);
});
