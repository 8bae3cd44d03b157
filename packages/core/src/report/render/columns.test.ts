import fc from "fast-check";
import { expect, it } from "vitest";
import { cellsText, cellsWidth, firstCells, lastCells, terminalCells } from "./terminal.ts";

it.each([
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["都市", 4],
  ["、。", 4],
  ["한국", 4],
  ["\u1112\u1161\u11ab", 2],
  ["カ", 2],
  ["ｶ", 1],
  ["Ａ", 2],
  ["😀", 2],
  ["✔", 1],
  ["🇳🇴", 2],
  ["𠀀", 2],
  ["\t", 1],
  ["\r", 6],
  ["\u200d", 6],
])("%j takes %i columns", (text, columns) => {
  expect(cellsWidth(terminalCells(text))).toBe(columns);
});

it("cuts only between whole characters", () => {
  const cells = terminalCells("a都😀\u0007");
  expect([0, 1, 2, 3, 5, 10, 11].map((columns) => cellsText(firstCells(cells, columns)))).toEqual([
    "",
    "a",
    "a",
    "a都",
    "a都😀",
    "a都😀",
    "a都😀\\u0007",
  ]);
  expect([0, 5, 6, 7, 8].map((columns) => cellsText(lastCells(cells, columns)))).toEqual([
    "",
    "",
    "\\u0007",
    "\\u0007",
    "😀\\u0007",
  ]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, columns) => {
      for (const cut of [firstCells, lastCells]) {
        expect(cellsWidth(cut(terminalCells(text), columns))).toBeLessThanOrEqual(columns);
      }
    }),
  );
});
