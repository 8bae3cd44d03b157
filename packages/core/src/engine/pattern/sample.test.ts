import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.ts";
import { samplePattern } from "./sample.ts";

describe("samplePattern", () => {
  it.each([
    "^[a-z]+$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^(?:low|high)$",
    "^sha256:[0-9a-f]{64}$",
    "^[^@]+@[^@]+\\.[a-z]{2,}$",
    "^\\p{Lu}\\w*$",
    "x?y*z{2,}",
    "^[A-Z]{2}\\d{2}(?:-[A-Z0-9]{1,4}){0,3}$",
    "",
  ])("generates texts that %s matches", (source) => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (numbers) => {
        const text = samplePattern(source, () => numbers.next().value) ?? "?";
        expect(compilePattern(source).test(text)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("stays short, and returns nothing for an invalid pattern", () => {
    expect(samplePattern("^(?:(?:a{999}){999}){999}$", () => 0.5)?.length).toBeLessThan(500);
    expect(samplePattern("(", () => 0.5)).toBeUndefined();
  });
});
