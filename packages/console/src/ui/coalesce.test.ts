import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { coalesce } from "./coalesce.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that runs until the test ends it. */
function working() {
  const ends: (() => void)[] = [];
  const stop = new AbortController();
  const ask = coalesce(300, () => new Promise((resolve) => void ends.push(resolve)), stop.signal);
  return { ask, ends, stop };
}

it("works once for all who ask before it begins", async () => {
  const { ask, ends } = working();
  ask();
  await vi.advanceTimersByTimeAsync(299);
  ask();
  expect(ends).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(1);
});

it("works again for those who ask while it runs, and only after it", async () => {
  const { ask, ends } = working();
  ask();
  await vi.advanceTimersByTimeAsync(300);
  ask();
  ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(300);
  expect(ends).toHaveLength(2);
});

it("begins nothing after it has ended", async () => {
  const { ask, ends, stop } = working();
  ask();
  stop.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(0);
});
