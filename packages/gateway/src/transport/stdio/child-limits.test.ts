import { expect, it } from "vitest";
import { Backoff } from "./child-limits.ts";

it("restarts a crashing server with growing delays until it has run for a minute", () => {
  let now = 1_000;
  const backoff = new Backoff(() => now);
  const crash = (afterMs: number): number => {
    backoff.started();
    now += afterMs;
    backoff.ended();
    return backoff.seconds;
  };
  expect(backoff.seconds).toBeLessThanOrEqual(0);
  expect([1, 1, 1, 1, 1, 1, 1, 1].map(crash)).toEqual([1, 1, 2, 4, 8, 16, 30, 30]);
  now += 29_001;
  expect(backoff.seconds).toBe(1);
  now += 1_000;
  expect(backoff.seconds).toBeLessThanOrEqual(0);
  expect([60_001, 1, 60_000, 60_001].map(crash)).toEqual([1, 1, 2, 1]);
});
