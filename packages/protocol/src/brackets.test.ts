import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { OpenBrackets } from "./brackets.ts";
import { OPEN_ARRAY, OPEN_OBJECT } from "./bytes.ts";

/** Returns how many bytes are accepted before one is refused. */
function taken(text: string, brackets: OpenBrackets = new OpenBrackets()): number {
  const bytes = encodeUtf8(text);
  const refused = bytes.findIndex((byte) => !brackets.take(byte));
  return refused < 0 ? bytes.length : refused;
}

describe("OpenBrackets", () => {
  it.each([
    ["[{}]", 4],
    ['{"a":[1,2],"b":{}}', 18],
    ["}", 0],
    ["[}", 1],
    ["[{]", 2],
    ["[]]", 2],
  ])("for %s accepts %i", (text, count) => {
    expect(taken(text)).toBe(count);
  });

  it("reports the depth, and the outermost bracket", () => {
    const brackets = new OpenBrackets();
    expect([brackets.depth, brackets.outermost]).toEqual([0, undefined]);
    taken("[{", brackets);
    expect([brackets.depth, brackets.outermost]).toEqual([2, OPEN_ARRAY]);
    taken("}]{", brackets);
    expect([brackets.depth, brackets.outermost]).toEqual([1, OPEN_OBJECT]);
  });

  it("accepts 10,000 levels and no more", () => {
    expect(taken("[".repeat(10_001))).toBe(10_000);
  });
});
