import { Script } from "node:vm";
import { afterEach, expect, it, vi } from "vitest";
import { schemaCacheOnDemand } from "./index.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const long = (letter: string) => ({ pattern: letter.repeat(4_000) });
/** More patterns than are taken where nothing would end a check that takes too long. */
const LONG = { value: { allOf: [..."abcde"].map(long) } };

it("has the deadline on Node", async () => {
  const cache = await schemaCacheOnDemand()();
  expect(cache.get(LONG).fault).toBeUndefined();
});

it.each([
  ["no process", undefined],
  ["a process that is not Node's", { versions: {} }],
])("has none where there is %s", async (_name, process) => {
  vi.stubGlobal("process", process);
  const cache = await schemaCacheOnDemand()();
  expect(cache.get(LONG).fault?.code).toBe("too_large");
});

it("has none where scripts of node:vm are there in name only", async () => {
  vi.spyOn(Script.prototype, "runInThisContext").mockImplementation(() => {
    throw new Error("The runInThisContext method is not implemented");
  });
  const cache = await schemaCacheOnDemand()();
  expect(cache.get(LONG).fault?.code).toBe("too_large");
});

it("makes one cache", async () => {
  const open = schemaCacheOnDemand();
  const [first, second] = await Promise.all([open(), open()]);
  expect(second).toBe(first);
});
