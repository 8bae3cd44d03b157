import fc from "fast-check";
import { expect, it } from "vitest";
import { besideOfDiff, lineDiff, linesBeside } from "./line-diff.ts";

it.each([
  ["a\nb\nc", "a\nb\nc", ""],
  ["a\nb\nc", "a\nx\nc", " a\n-b\n+x\n c"],
  ["", "a", "-\n+a"],
  ["1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\n5\n6\n8", "@@\n 4\n 5\n 6\n-7\n+8"],
])("for %j and %j returns %j", (before, after, diff) => {
  expect(lineDiff(before, after)).toBe(diff);
});

it("turns the first text into the second, for any texts", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "{", ""), { maxLength: 6 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = lineDiff(before.join("\n"), after.join("\n")).split("\n");
      // With so few lines, each line is near a change.
      const side = (mark: string): string[] =>
        lines.filter((line) => line[0] === " " || line[0] === mark).map((line) => line.slice(1));
      if (before.join("\n") === after.join("\n")) expect(lines).toEqual([""]);
      else if (!lines.includes("@@")) {
        const of = (texts: readonly string[]): string => texts.join("\n");
        expect(of(before).endsWith(of(side("-"))) || of(before).startsWith(of(side("-")))).toBe(
          true,
        );
        expect(of(after).endsWith(of(side("+"))) || of(after).startsWith(of(side("+")))).toBe(true);
      }
    }),
  );
});

it("replaces very long texts as a whole, quickly", () => {
  const [before, after] = ["a", "b"].map((text) => Array(20_000).fill(text).join("\n"));
  expect(lineDiff(before ?? "", after ?? "").split("\n")).toHaveLength(40_000);
});

it.each<[string, string, ReturnType<typeof linesBeside>]>([
  [
    "a\nb",
    "a\nb",
    [
      ["a", "a"],
      ["b", "b"],
    ],
  ],
  [
    "a\nb\nc",
    "a\nx\nc",
    [
      ["a", "a"],
      ["b", "x"],
      ["c", "c"],
    ],
  ],
  [
    "a\nc",
    "a\nx\ny\nc",
    [
      ["a", "a"],
      [null, "x"],
      [null, "y"],
      ["c", "c"],
    ],
  ],
  [
    "a\nx\ny\nc",
    "a\nz\nc",
    [
      ["a", "a"],
      ["x", "z"],
      ["y", null],
      ["c", "c"],
    ],
  ],
])("shows %j and %j beside each other", (before, after, rows) => {
  expect(linesBeside(before, after)).toEqual(rows);
});

it("shows every line of both texts once, in order", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const rows = linesBeside(before, after);
      const side = (at: 0 | 1) => rows.flatMap((row) => row[at] ?? []).join("\n");
      expect([side(0), side(1)]).toEqual([before, after]);
    }),
  );
});

it("puts the lines of a difference beside each other, with its notes on both sides", () => {
  expect(besideOfDiff("@@ a note\n {\n-  old\n-  gone\n+  new\n }\n@@\n+end\n")).toEqual([
    ["a note", "a note"],
    ["{", "{"],
    ["  old", "  new"],
    ["  gone", null],
    ["}", "}"],
    ["⋯", "⋯"],
    [null, "end"],
  ]);
});
