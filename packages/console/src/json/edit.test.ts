import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../../../core/src/testing/json-text.ts";
import {
  insertItem,
  type JsonPath,
  moveItem,
  reconcile,
  removeAt,
  renameMember,
  setCreatingPath,
  setValueAt,
  treeAt,
} from "./edit.ts";
import { type JsonTree, printTree, readTree, toValue } from "./tree.ts";

const read = (text: string): JsonTree => {
  const result = readTree(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.tree;
};
/** Returns the text on one line, with fewer spaces, so that tests are easier to read. */
const line = (tree: JsonTree | undefined): string =>
  tree === undefined ? "" : printTree(tree).replace(/\n\s*/g, "").replaceAll(": ", ":");

const BIG = "9007199254740993";

describe("an edit at a path", () => {
  const text = `{"a":{"b":[1.0,${BIG},1e400]},"c":2}`;

  it.each<[string, JsonPath, string, string]>([
    ["a member", ["c"], "3.0", `{"a":{"b":[1.0,${BIG},1e400]},"c":3.0}`],
    ["a new member", ["d"], '"x"', `{"a":{"b":[1.0,${BIG},1e400]},"c":2,"d":"x"}`],
    ["an item", ["a", "b", 0], "7", `{"a":{"b":[7,${BIG},1e400]},"c":2}`],
    ["the next item", ["a", "b", 3], "7", `{"a":{"b":[1.0,${BIG},1e400,7]},"c":2}`],
    ["no item far away", ["a", "b", 9], "7", text],
    ["nothing below a scalar", ["c", "d"], "7", text],
    ["nothing below what is missing", ["x", "y"], "7", text],
    ["no member of an array", ["a", "b", "length"], "7", text],
    ["the root", [], "7", "7"],
  ])("sets %s", (_what, path, value, expected) => {
    expect(line(setValueAt(read(text), path, read(value)))).toBe(expected);
  });

  it("removes members and items, but never the root", () => {
    expect(line(removeAt(read(text), ["a", "b", 0]))).toBe(`{"a":{"b":[${BIG},1e400]},"c":2}`);
    expect(line(removeAt(read(text), ["a"]))).toBe('{"c":2}');
    expect(line(removeAt(read(text), []))).toBe(text);
    expect(line(removeAt(read(text), ["x"]))).toBe(text);
  });

  it("moves and inserts items with their original text", () => {
    const path = ["a", "b"];
    const moved = (from: number, to: number) => line(moveItem(read(text), path, from, to));
    expect(moved(1, 0)).toBe(`{"a":{"b":[${BIG},1.0,1e400]},"c":2}`);
    expect(moved(0, 2)).toBe(`{"a":{"b":[${BIG},1e400,1.0]},"c":2}`);
    for (const [from, to] of [
      [0, 3],
      [-1, 0],
      [3, 0],
      [1, 1],
    ] as const) {
      expect(moved(from, to)).toBe(text);
    }
    expect(line(insertItem(read(text), path, 1, read("5.00")))).toBe(
      `{"a":{"b":[1.0,5.00,${BIG},1e400]},"c":2}`,
    );
    expect(line(insertItem(read(text), path, 4, read("5")))).toBe(text);
    expect(line(insertItem(read(text), ["c"], 0, read("5")))).toBe(text);
  });

  it("changes the last of two members with the same name", () => {
    const twice = read('{"a":1,"\\u0061":2}');
    expect(line(treeAt(twice, ["a"]))).toBe("2");
    expect(line(setValueAt(twice, ["a"], read("3")))).toBe('{"a":1,"\\u0061":3}');
    expect(line(removeAt(twice, ["a"]))).toBe("{}");
  });

  it("finds only own members", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(treeAt(read("{}"), [name])).toBeUndefined();
      const tree = setValueAt(read("{}"), [name], read("1"));
      expect(Object.hasOwn(toValue(tree) as object, name)).toBe(true);
    }
  });
});

describe("reconcile", () => {
  it("returns the same tree if nothing changed", () => {
    fc.assert(
      fc.property(jsonNode, (node) => {
        const tree = read(jsonNodeText(node));
        expect(reconcile(tree, toValue(tree))).toBe(tree);
      }),
    );
  });

  it("returns a tree with the given value", () => {
    fc.assert(
      fc.property(jsonNode, fc.jsonValue({ maxDepth: 4 }), (node, value) => {
        const old = read(jsonNodeText(node));
        fc.pre(!JSON.stringify(toValue(old)).includes('"__proto__":'));
        const tree = reconcile(old, value);
        if (tree === undefined) throw new Error("a JSON value has a tree");
        // Most programs have only one JSON zero; a text may contain `0` or `-0`.
        expect(toValue(tree)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("keeps the original text around a change", () => {
    const tree = read(`{"id":${BIG},"list":[1.0,{"x":1e400}],"name":"a"}`);
    const value = { id: 9007199254740992, list: [1, { x: Number.POSITIVE_INFINITY }], name: "b" };
    expect(line(reconcile(tree, value))).toBe(`{"id":${BIG},"list":[1.0,{"x":1e400}],"name":"b"}`);
  });

  it("keeps a member __proto__ that a copy lost, and accepts a new value for it", () => {
    const tree = read(`{"__proto__":{"n":${BIG}},"a":1,"b":{"__proto__":2.0}}`);
    expect(line(reconcile(tree, { b: {} }))).toBe(
      `{"__proto__":{"n":${BIG}},"b":{"__proto__":2.0}}`,
    );
    const given: unknown = JSON.parse('{"__proto__":3,"a":1}');
    expect(line(reconcile(tree, given))).toBe('{"__proto__":3,"a":1}');
  });

  it("treats undefined as absent, or as null in an array", () => {
    expect(line(reconcile(read('{"a":1,"b":2}'), { a: undefined, b: 2 }))).toBe('{"b":2}');
    expect(line(reconcile(undefined, [undefined, 1]))).toBe("[null,1]");
    expect(reconcile(read("1"), undefined)).toBeUndefined();
  });
});

describe("renameMember", () => {
  const text = `{"a":${BIG},"b":{"c":1.0}}`;

  it.each<[string, JsonPath, string, string]>([
    ["a member, in its place", ["a"], "x", `{"x":${BIG},"b":{"c":1.0}}`],
    ["a member inside", ["b", "c"], "__proto__", `{"a":${BIG},"b":{"__proto__":1.0}}`],
    ["none to a name that is taken", ["a"], "b", text],
    ["none that is missing", ["x"], "y", text],
    ["no item", ["a", 0], "y", text],
    ["not the root", [], "y", text],
  ])("renames %s", (_what, path, name, expected) => {
    expect(line(renameMember(read(text), path, name))).toBe(expected);
  });
});

describe("setCreatingPath", () => {
  it.each<[string, JsonPath, string]>([
    ['{"a":null}', ["a", "b", 0, "c"], `{"a":{"b":[{"c":${BIG}}]}}`],
    ['{"a":[1.0]}', ["a", "b"], `{"a":{"b":${BIG}}}`],
    ['{"a":{"c":1.0}}', ["a", "b"], `{"a":{"c":1.0,"b":${BIG}}}`],
    ["null", ["a"], `{"a":${BIG}}`],
    ["{}", [], BIG],
    ["[1.0]", [1], `[1.0,${BIG}]`],
    ["[]", [5], "[]"],
  ])("in %s sets %j: %s", (text, path, expected) => {
    expect(line(setCreatingPath(read(text), path, read(BIG)))).toBe(expected);
  });
});
