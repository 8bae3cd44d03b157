import { expect, it } from "vitest";
import { rememberPatterns } from "./remember.ts";

it("makes a pattern once, however many others are asked for in between", () => {
  const made: string[] = [];
  const patterns = rememberPatterns((source) => ({ source, number: made.push(source) }));
  const sources = Array.from({ length: 1000 }, (_, i) => `^a${i}`);
  for (let round = 0; round < 3; round++) {
    for (const source of sources) expect(patterns(source).source).toBe(source);
  }
  expect(made).toEqual(sources);
  for (let round = 0; round < 2; round++) expect(patterns("more").source).toBe("more");
  expect(made).toHaveLength(1002);
});
