import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printTree, toValue } from "../json/tree.ts";
import { typedTree } from "./typed.ts";

/** Any UTF-16 text, lone surrogates with it. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }))
  .map((units) => String.fromCharCode(...units));

describe("typedTree", () => {
  it.each([
    ["", undefined],
    [" \n", undefined],
    ["9007199254740993", "9007199254740993"],
    ["1.0", "1.0"],
    ["-", '"-"'],
    ["1e", '"1e"'],
    ["01", '"01"'],
    ["words", '"words"'],
    ['"5"', '"5"'],
    ["null", "null"],
    ["[1.0]", "[\n  1.0\n]"],
    ['{"a":', '"{\\"a\\":"'],
    ["\ud800", '"\\ud800"'],
  ])("%j is %s", (typed, text) => {
    const tree = typedTree(typed);
    expect(tree === undefined ? undefined : printTree(tree)).toBe(text);
  });

  it("takes any text, as itself or as the JSON that it is", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (typed) => {
        const tree = typedTree(typed);
        if (tree?.kind === "scalar" && tree.text.startsWith('"') && !typed.includes('"')) {
          expect(toValue(tree)).toBe(typed);
        }
      }),
    );
  });
});
