import { parseJson } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { splitByte, withLineNumbers } from "./text-place.ts";

describe("withLineNumbers", () => {
  it("converts a byte offset from core into line and column", () => {
    const text = '{\n  "é😀": 1,}';
    const parsed = parseJson(text);
    const message = parsed.ok ? "" : parsed.message;
    expect(message).toContain("at byte");
    expect(withLineNumbers(`Invalid JSON: ${message}`, text)).toMatch(
      /^Invalid JSON: .*, at line 2, column 12$/,
    );
  });

  it("leaves other messages unchanged", () => {
    for (const message of ["no", "at byte 3", ", at byte x", ", at byte 3 or so"]) {
      expect(withLineNumbers(message, "abc")).toBe(message);
    }
  });

  it("handles offsets outside the text", () => {
    expect(withLineNumbers("x, at byte 999999999999999", "ab")).toMatch(
      /^x, at line 1, column \d+$/,
    );
    expect(splitByte("x, at byte 9999999999999999").offset).toBeUndefined();
  });
});
