import { describe, expect, it } from "vitest";
import { analyzeBacktracking } from "./ambiguity.ts";
import { parsePattern } from "./parse.ts";

const boundOf = (source: string) => analyzeBacktracking(parsePattern(source)).bound;

describe("the work bound of a pattern", () => {
  it.each<[string, number]>([
    // Each way through the pattern costs one step, and one for each character that may follow and each assertion.
    ["^a*b*", 3],
    ["^a*$", 3],
    ["^(?:a|b)*$", 4],
    ["^(?:a|a){4}b*$", 48],
    ["^a*b{0}$", 3],
    ["^[a-z.]+\\.[a-z]+$", 7],
    // The first twelve rounds of a repeat count as different, and all later ones as one.
    ["^(?:a{2,3}b)*$", 4],
    ["^(?:a{0,3}b)*$", 4],
    ["^(?:a{1,20}b)*$", 4],
    ["^(?:a{20,}b)*$", 4],
    ["^(?:a{2}a{3}b)*$", 3],
    ["^(?:a{12}a{13}b)*$", 4],
    ["^(?:a{13}a{2}b)*$", 10],
    // A search begins again at each character.
    ["a[bc]*d", 4],
    // A lookahead at the start is tried once. One further on is tried once for each way and place.
    ["^(?=.*a)b*$", 8],
    ["^b(?=.*a)c*$", 12],
    ["^(?=bc)b*$", 6],
  ])("for %j is per character: %i", (source, perCharacter) => {
    expect(boundOf(source)).toEqual({ fixed: 1, perCharacter });
  });

  it.each<[string, number, number]>([
    ["abc", 3, 3],
    ["a[ab]{1,3}b", 8, 8],
    ["[ab]{1,60}c", 121, 121],
    ["^(?:a?|b){4}$", 203, 1],
  ])("for %j without endless repeats is fixed", (source, fixed, perCharacter) => {
    expect(boundOf(source)).toEqual({ fixed, perCharacter });
  });
});

describe("the patterns of a schema", () => {
  it("cost more steps the larger they are, up to a limit", () => {
    const [small, large, huge] = ["^a*$", "^(?:(?:a{9}b?){3}c)*$", "^(?:(?:a{9}b?){9}c?){9}$"].map(
      (source) => analyzeBacktracking(parsePattern(source)).effort,
    );
    expect(small).toBeLessThan(large ?? 0);
    expect(large).toBeLessThan(huge ?? 0);
    expect(huge).toBeLessThanOrEqual(65_536);
  });
});
