import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../../../core/src/testing/json-text.ts";
import { type JsonTree, MAX_TREE_DEPTH, printTree, readTree, toValue, treeOf } from "./tree.ts";

const read = (text: string): JsonTree => {
  const result = readTree(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.tree;
};

function tokens(tree: JsonTree): string[] {
  if (tree.kind === "scalar") return [tree.text];
  if (tree.kind === "array") return tree.items.flatMap(tokens);
  return tree.members.flatMap(({ key, value }) => [key, ...tokens(value)]);
}

describe("readTree", () => {
  it("keeps every token as it was written", () => {
    fc.assert(
      fc.property(jsonNode, (node) => {
        const text = jsonNodeText(node);
        const tree = read(text);
        expect(toValue(tree)).toEqual(JSON.parse(text));
        const printed = read(printTree(tree));
        expect(tokens(printed)).toEqual(tokens(tree));
        expect(printTree(printed)).toBe(printTree(tree));
      }),
    );
  });

  it("prints plain values as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const tree = treeOf(value);
        if (tree === undefined) return;
        expect(printTree(tree)).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it("never throws, and accepts what JSON.parse accepts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(readTree(text).ok).toBe(isJson);
      }),
    );
  });

  it("reports where a text stops being JSON", () => {
    expect(readTree('{"a": 1,}')).toMatchObject({ ok: false, error: { offset: 8 } });
    expect(readTree("")).toMatchObject({ ok: false, error: { code: "syntax" } });
  });

  it("reads nesting up to the limit and no deeper", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(readTree(nested(MAX_TREE_DEPTH - 1)).ok).toBe(true);
    expect(readTree(nested(MAX_TREE_DEPTH))).toMatchObject({ ok: false, error: { code: "depth" } });
  });

  it("keeps __proto__ as an own member", () => {
    expect(toValue(read('{"__proto__": {"a": 1}}'))).toEqual(JSON.parse('{"__proto__": {"a": 1}}'));
  });
});

describe("treeOf", () => {
  it("returns nothing for values without JSON text", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => 1, 1n, cycle]) expect(treeOf(value)).toBeUndefined();
  });
});
