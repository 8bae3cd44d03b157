import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cutText, renderTable } from "./table.ts";

const COLUMNS = [
  { title: "A" },
  { title: "B", max: 5 },
  { title: "C", flexible: 4 },
  { title: "D" },
];

describe("renderTable", () => {
  it("aligns columns by their widest cell", () => {
    expect(
      renderTable(COLUMNS, [
        ["1", "22", "333", "4"],
        ["天気", "", "", "end"],
      ]),
    ).toBe("A     B   C    D\n1     22  333  4\n天気           end\n");
  });

  it("cuts a column at its maximum and the flexible one to the terminal", () => {
    const rows = [["1", "1234567", "a long reason", "id"]];
    expect(renderTable(COLUMNS, rows, { width: 22 })).toBe(
      "A  B      C         D\n1  1234…  a long …  id\n",
    );
    expect(renderTable(COLUMNS, rows, { width: 1 })).toContain("a l…  id");
  });

  it("keeps one line per row whatever a cell holds", () => {
    const cell = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell, cell)), fc.nat(80), (rows, width) => {
        const lines = renderTable(COLUMNS, rows, { width }).split("\n");
        expect(lines).toHaveLength(rows.length + 2);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it("hands cells to the painter cut and padded", () => {
    const seen: unknown[] = [];
    renderTable([{ title: "A" }, { title: "B" }], [["x", "y"]], {
      paint: (text, row, column) => {
        seen.push([text, row, column]);
        return text;
      },
    });
    expect(seen).toEqual([
      ["A", "title", 0],
      ["B", "title", 1],
      ["x", 0, 0],
      ["y", 0, 1],
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
  ])("cuts %j to %d cells as %j", (text, width, expected) => {
    expect(cutText(text, width)).toBe(expected);
  });

  it("never passes the width", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
        expect(stringWidth(cutText(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
