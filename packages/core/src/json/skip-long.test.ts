import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  skipInQuotesSteps,
  skipLongQuoted,
  skipLongQuotedWith,
  skipLongValue,
  skipQuoted,
} from "./skip.ts";
import { encodeUtf8 } from "./text.ts";
import { runSteps } from "./walk.ts";
import { scriptOnlyScanner } from "./wasm/source.ts";

describe("skipLongQuoted", () => {
  it.each([
    ["an empty string", '""', 2],
    ["a short one", '"a\\"b"x"', 6],
    ["one of a small text", `"${"x".repeat(3_000)}\\"y","z"`, 3_005],
    ["a long one", `"${"x".repeat(100_000)}","y"`, 100_002],
    ["one whose first window ends in an escape", `"${"x".repeat(4_127)}\\"y"`, 4_132],
    ["one that is cut", `"${"x".repeat(100_000)}`, -1],
    ["one that is cut in an escape", `"${"x".repeat(4_127)}\\`, -1],
    ["one of a small text that is cut in an escape", `"${"x".repeat(3_000)}\\`, -1],
    ["one that is cut at once", '"', -1],
  ])("skips %s", (_, text, behind) => {
    expect(skipLongQuoted(encodeUtf8(text), 0)).toBe(behind);
    expect(skipLongQuotedWith(encodeUtf8(text), 0, scriptOnlyScanner)).toBe(behind);
  });

  it("agrees with JavaScript, wherever a window ends", () => {
    const unit = fc.constantFrom("a", "\\", '\\"', "\\\\", "é");
    // The first window of a text that is not small ends at 4129.
    const length = fc.oneof(fc.nat({ max: 20_000 }), fc.integer({ min: 4_050, max: 4_140 }));
    const string = fc
      .tuple(length, unit, fc.nat({ max: 40 }), fc.array(unit, { maxLength: 8 }))
      .map(([length, filler, count, units]) => {
        const text = `${"x".repeat(length)}${filler.repeat(count)}${units.join("")}`;
        return encodeUtf8(`"${text}","b"`);
      });
    fc.assert(
      fc.property(string, fc.nat({ max: 9 }), (bytes, cut) => {
        const text = bytes.subarray(0, bytes.length - cut);
        expect(skipLongQuoted(text, 0)).toBe(skipQuoted(text, 0));
      }),
      { numRuns: 2000 },
    );
  });

  it("never reads past the end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(skipLongQuoted(bytes, 0)).toBe(skipQuoted(bytes, 0));
      }),
    );
  });
});

describe("skipLongValue", () => {
  it.each([
    ["a number", '-1.5e3,"x"'],
    ["a literal", "true]"],
    ["a string", '"a\\"]",1'],
    ["an empty container", "{} "],
    ["a container with brackets in strings", '[{"]":"[{\\""}],1'],
    ["a long container", `[${'"]",{"a":[1]},'.repeat(20_000)}0]}`],
    ["one whose window ends inside it", `[${"[1],".repeat(256)}0],5`],
  ])("skips %s", (_, text) => {
    for (const before of ["", "[ ", "x".repeat(5_000)]) {
      const bytes = encodeUtf8(before + text);
      const behind = skipLongValue(bytes, before.length);
      expect(
        bytes[behind] === undefined || " ,]}".includes(text[behind - before.length] ?? ""),
      ).toBe(true);
      expect(() => JSON.parse(text.slice(0, behind - before.length))).not.toThrow();
    }
  });

  it.each(["[1", `[${"1,".repeat(2_000)}`, '"a', ""])("finds no end in truncated text", (text) => {
    expect(skipLongValue(encodeUtf8(text), 0)).toBe(-1);
  });
});

describe("skipInQuotesSteps", () => {
  it("ends where skipQuoted ends, wherever a step ends", () => {
    const unit = fc.constantFrom("a", "\\", '\\"', "\\\\", '"', "x".repeat(40));
    const text = fc.array(unit, { maxLength: 60 }).map((units) => encodeUtf8(`"${units.join("")}`));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 99 }), (bytes, step) => {
        expect(runSteps(skipInQuotesSteps(bytes, 1, step))).toBe(skipQuoted(bytes, 0));
      }),
      { numRuns: 2000 },
    );
  });

  it("pauses in a long string", () => {
    const bytes = encodeUtf8(`"${'\\"'.repeat(10_000)}"`);
    expect([...skipInQuotesSteps(bytes, 1, 1_000)].length).toBeGreaterThan(10);
  });
});
