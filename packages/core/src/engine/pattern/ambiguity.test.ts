import { describe, expect, it } from "vitest";
import { analyse } from "./ambiguity.ts";
import { parsePattern } from "./parse.ts";
import { compilePattern, proveNative } from "./pattern.ts";

const boundOf = (source: string) => analyse(parsePattern(source)).bound;

describe("the bound of a pattern", () => {
  it.each<[string, number]>([
    // For each way, itself, the characters that may follow, and the assertions of the pattern.
    ["^a*b*", 3],
    ["^a*$", 3],
    ["^(?:a|b)*$", 4],
    ["^(?:a|a){4}b*$", 48],
    ["^a*b{0}$", 3],
    ["^[a-z.]+\\.[a-z]+$", 7],
    // Rounds of a repeat are told apart, but for those beyond twelve.
    ["^(?:a{2,3}b)*$", 4],
    ["^(?:a{0,3}b)*$", 4],
    ["^(?:a{1,20}b)*$", 4],
    ["^(?:a{20,}b)*$", 4],
    ["^(?:a{2}a{3}b)*$", 3],
    ["^(?:a{12}a{13}b)*$", 4],
    ["^(?:a{13}a{2}b)*$", 10],
    // A search begins anew at each character.
    ["a[bc]*d", 4],
    // A lookahead is looked through once at the start, and behind it once for each way and place.
    ["^(?=.*a)b*$", 8],
    ["^b(?=.*a)c*$", 12],
    ["^(?=bc)b*$", 6],
  ])("%j takes so much work for each character: %i", (source, perCharacter) => {
    expect(boundOf(source)).toEqual({ fixed: 1, perCharacter });
  });

  it.each<[string, number, number]>([
    ["abc", 3, 3],
    ["a[ab]{1,3}b", 8, 8],
    ["[ab]{1,60}c", 121, 121],
    ["^(?:a?|b){4}$", 203, 1],
  ])("%j without endless repeats is tried in so many ways", (source, fixed, perCharacter) => {
    expect(boundOf(source)).toEqual({ fixed, perCharacter });
  });
});

describe("the patterns of a schema", () => {
  const heavy = Array.from({ length: 100 }, (_, i) => `^((a|b)?c{9}x${i}){12}$`);

  it("are not all analysed at once where that would take long", () => {
    expect(heavy.every((source) => compilePattern(source).isNative)).toBe(true);
    const few = proveNative(new Set(heavy.slice(0, 10)));
    expect(few).toEqual({ work: expect.any(Number), longest: Number.POSITIVE_INFINITY });
    expect(proveNative(new Set(heavy))).toMatchObject({ longest: 0 });
  });

  it("are given to the runtime's own engine on short texts only where it works much", () => {
    const [little, much] = ["^[a-z]+@$", "[ab]{1,60}c"];
    expect(proveNative(new Set([little]))).toEqual({ work: 4, longest: Number.POSITIVE_INFINITY });
    expect(proveNative(new Set([little, much]))).toEqual({ work: 121, longest: 541 });
    expect(proveNative(new Set(["a+b", little]))).toMatchObject({ longest: 0 });
    expect(proveNative(new Set())).toEqual({ work: 0, longest: Number.POSITIVE_INFINITY });
  });

  it("have the same verdict on either side of that length", () => {
    const pattern = compilePattern("[ab]{1,60}c");
    for (const length of [540, 541, 542, 100_000]) {
      const text = "ab".repeat(length / 2).padEnd(length - 1, "a");
      const budget = () => ({ steps: 1_000_000, deadline: true });
      expect(pattern.test(`${text}c`, budget())).toBe(true);
      expect(pattern.test(`${text}d`, budget())).toBe(false);
    }
  });

  it("take more effort the larger they are, within a bound", () => {
    const [small, large, huge] = ["^a*$", "^(?:(?:a{9}b?){3}c)*$", "^(?:(?:a{9}b?){9}c?){9}$"].map(
      (source) => analyse(parsePattern(source)).effort,
    );
    expect(small).toBeLessThan(large ?? 0);
    expect(large).toBeLessThan(huge ?? 0);
    expect(huge).toBeLessThanOrEqual(65_536);
  });
});
