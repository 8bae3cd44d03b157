import { expect, it } from "vitest";
import type { ToolVerdict } from "../validation-result.ts";
import { ValidationCache } from "./validation-cache.ts";

const VERDICT: ToolVerdict = {
  ...{ valid: true, errors: [], warnings: [], suggestions: [], issues: [], levelsNotRun: [] },
};

function caching(maxEntries = 2) {
  const clock = { now: 1000 };
  const cache = new ValidationCache(maxEntries, () => clock.now);
  const keep = (key: string, keepMs = 100) => cache.set(key, VERDICT, keepMs, cache.generation);
  const kept = (...keys: readonly string[]) => keys.filter((key) => cache.get(key) === VERDICT);
  return { clock, cache, keep, kept };
}

it("keeps a result until its expiry, exclusive", () => {
  const { clock, keep, kept } = caching();
  keep("a", 100);
  clock.now = 1099;
  expect(kept("a")).toEqual(["a"]);
  clock.now = 1100;
  expect(kept("a")).toEqual([]);
});

it("drops the least recently used result", () => {
  const { keep, kept } = caching();
  for (const key of ["a", "b"]) keep(key);
  expect(kept("a")).toEqual(["a"]);
  keep("c");
  expect(kept("a", "b", "c")).toEqual(["a", "c"]);
  keep("a");
  keep("d");
  expect(kept("a", "c", "d")).toEqual(["a", "d"]);
});

it("replaces an earlier result", () => {
  const { clock, keep, kept } = caching();
  for (const key of ["a", "b", "a"]) keep(key);
  keep("a", 200);
  expect(kept("b", "a")).toEqual(["b", "a"]);
  clock.now += 150;
  expect(kept("a", "b")).toEqual(["a"]);
});

it("keeps the latest result if there is room for one", () => {
  const { keep, kept } = caching(1);
  keep("a");
  expect(kept("a")).toEqual(["a"]);
  keep("b");
  expect(kept("a", "b")).toEqual(["b"]);
});

it.each([
  ["no time", 2, 0],
  ["less than no time", 2, -1],
  ["no room", 0, 100],
])("keeps nothing if there is %s", (_name, maxEntries, keepMs) => {
  const { keep, kept } = caching(maxEntries);
  keep("a", keepMs);
  expect(kept("a")).toEqual([]);
});

it("drops nothing for a result that it does not keep", () => {
  const { keep, kept } = caching(1);
  keep("a");
  keep("b", 0);
  expect(kept("a", "b")).toEqual(["a"]);
});

it("ignores a result that was requested before a clear", () => {
  const { cache, keep, kept } = caching();
  const before = cache.generation;
  keep("a");
  cache.clear();
  expect(kept("a")).toEqual([]);
  cache.set("a", VERDICT, 100, before);
  expect(kept("a")).toEqual([]);
  keep("a");
  expect(kept("a")).toEqual(["a"]);
});
