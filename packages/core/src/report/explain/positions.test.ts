import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUtf8 } from "../../json/text.ts";
import { positionsOf } from "./positions.ts";

test("positionsOf counts lines and UTF-16 columns", () => {
  const bytes = encodeUtf8("a\n😀é\nb");
  expect([...positionsOf(bytes, [8, 0, 2, 6, 9, 99])]).toEqual([
    [0, { line: 1, column: 1 }],
    [2, { line: 2, column: 1 }],
    [6, { line: 2, column: 3 }],
    [8, { line: 2, column: 4 }],
    [9, { line: 3, column: 1 }],
    [99, { line: 3, column: 2 }],
  ]);
});

test("positionsOf gives the same positions as counting from the start of the text", () => {
  const character = fc.constantFrom(
    "a",
    "\n",
    "\r",
    "é",
    "\u07ff",
    "€",
    "\uffff",
    "😀",
    "\u{10ffff}",
  );
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const expected = characters.map((_, i) => {
        const before = characters.slice(0, i).join("");
        const lines = before.split("\n");
        const position = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
        return [encodeUtf8(before).length, position] as const;
      });
      const bytes = encodeUtf8(characters.join(""));
      const positions = positionsOf(bytes, expected.map(([offset]) => offset).reverse());
      expect([...positions]).toEqual(expected);
    }),
  );
});
