import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parsePlain } from "./parse.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

describe("parsePlain", () => {
  it.each([
    ['{"a":[1,2.5,-3,true,null,"x"]}'],
    ["[-123456789012345]"],
    ["[0.1234567890123]"],
    ['"é"'],
    ['"\ud800"'],
    ['"123e4567-e89b-42d3-a456-426614174000"'],
    ['{"a":"123456789012345678"}'],
    ['{"__proto__":{"a":1}}'],
  ])("parses %s", (text) => {
    expect(parsePlain(text, 64, 1000)).toEqual(JSON.parse(text));
  });

  it.each([
    ["9007199254740993"],
    ["1234567890123456"],
    ["-1234567890123456"],
    [" 1e400"],
    ['{"a":\t-1.5E400}'],
    ["[0,1.0e-7]"],
    ["1e5"],
    ["[1E400]"],
    ["1.234567890123456"],
    ["1"],
    ["-1"],
    ["\ufeff[]"],
    ["{"],
    [""],
    ["1 2"],
  ])("leaves %s to the scanner", (text) => {
    expect(parsePlain(text, 64, 10_000)).toBeUndefined();
  });

  it("leaves long text to the scanner", () => {
    expect(parsePlain(`"${"a".repeat(2048)}"`, 64, 10_000)).toBeUndefined();
  });

  it("leaves what might be too large or too deep to the scanner", () => {
    expect(parsePlain("[1]", 64, 9)).toBeDefined();
    expect(parsePlain("[1]", 64, 8)).toBeUndefined();
    expect(parsePlain('{"a":[]}        ', 3, 1000)).toBeDefined();
    expect(parsePlain('{"a":[]}        ', 2, 1000)).toBeUndefined();
  });

  test("parses only texts without findings for the scanner, within its limits", () => {
    const numbers = fc
      .stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/)
      .chain((number) =>
        fc.constantFrom(number, ` ${number}`, `[${number}]`, `[0,${number}]`, `{"a":${number}}`),
      );
    const nested = fc
      .array(fc.constantFrom("[", "]", '{"a":', "}", "1", ",", '"', "\\", " "), { maxLength: 24 })
      .map((parts) => parts.join(""));
    const deep = fc.nat(12).map((levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`);
    const any = fc.oneof(fc.json(), numbers, nested, deep, fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 9 }), (text, maxDepth) => {
        const plain = parsePlain(text, maxDepth, 10_000);
        if (plain === undefined) return;
        const bytes = encodeUtf8(text);
        const { error, lossyNumbers } = scanJson(bytes, { numbers: true, maxDepth });
        expect([error, lossyNumbers]).toEqual([undefined, []]);
      }),
      { numRuns: 1000 },
    );
  });
});
