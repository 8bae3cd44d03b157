import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cutText, renderTable } from "./table.ts";

const COLUMNS = [
  { title: "A" },
  { title: "B", max: 5, least: 3 },
  { title: "C", least: 4, leftOut: 1 },
  { title: "D", leftOut: 2 },
  { title: "E" },
];

describe("renderTable", () => {
  it("aligns columns by their widest cell", () => {
    expect(
      renderTable(COLUMNS, [
        ["1", "22", "333", "4", "5"],
        ["天気", "", "", "", "end"],
      ]),
    ).toBe("A     B   C    D  E\n1     22  333  4  5\n天気              end\n");
  });

  it("right-aligns numbers with the end of their title", () => {
    const columns = [
      { title: "A" },
      { title: "NN", isNumber: true },
      { title: "N", isNumber: true },
    ];
    expect(
      renderTable(columns, [
        ["x", "1", "100"],
        ["yy", "22", "3"],
      ]),
    ).toBe("A   NN    N\nx    1  100\nyy  22    3\n");
  });

  const rows = [["1", "1234567", "a long reason", "D4", "id"]];
  it.each([
    [34, "A  B      C              D   E\n1  1234…  a long reason  D4  id\n"],
    [25, "A  B      C        D   E\n1  1234…  a long…  D4  id\n"],
    [21, "A  B     C     D   E\n1  123…  a l…  D4  id\n"],
    [20, "A  B    C     D   E\n1  12…  a l…  D4  id\n"],
    [19, "A  B      D   E\n1  1234…  D4  id\n"],
    [14, "A  B    D   E\n1  12…  D4  id\n"],
    [12, "A  B      E\n1  1234…  id\n"],
    [1, "A  B    E\n1  12…  id\n"],
  ])("in %i columns shortens the widest cells, then drops columns", (width, table) => {
    expect(renderTable(COLUMNS, rows, { width })).toBe(table);
  });

  it("keeps each row on one line within the terminal's width, whatever its cells hold", () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
    );
    const row = fc.tuple(fc.constantFrom("1", "22"), cell, cell, cell, fc.constant("id"));
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 11, max: 80 }), (rows, width) => {
        const lines = renderTable(COLUMNS, rows, { width }).split("\n");
        expect(lines).toHaveLength(rows.length + 2);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("passes cut and padded cells to paint, with the original column index", () => {
    const seen: unknown[] = [];
    const columns = [{ title: "A" }, { title: "B", leftOut: 1 }, { title: "C" }];
    renderTable(columns, [["x", "y", "z"]], {
      width: 4,
      paint: (text, row, column) => {
        seen.push([text, row, column]);
        return text;
      },
    });
    expect(seen).toEqual([
      ["A", "title", 0],
      ["C", "title", 2],
      ["x", 0, 0],
      ["z", 0, 2],
    ]);
  });
});

describe("cutText", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["天気予報", 5, "天気…"],
    ["天気予報", 4, "天…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["abc", 0, ""],
  ])("cuts %j to %d columns as %j", (text, width, expected) => {
    expect(cutText(text, width)).toBe(expected);
  });

  it("never exceeds the width", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
        expect(stringWidth(cutText(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
