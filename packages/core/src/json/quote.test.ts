import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { plainLine, quote, quotePointer, quoteValue, wordList } from "./quote.ts";

const text = fc.string({ unit: "binary", maxLength: 100 });

describe("quote", () => {
  test("is one visible line of JSON that reads back as the text", () => {
    fc.assert(
      fc.property(text, (one) => {
        const quoted = quote(one, 1000);
        expect(JSON.parse(quoted)).toBe(one);
        expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`<]/u);
      }),
    );
  });

  it.each([
    ["![x](http://a)", '"\\u0021[x\\u005d(http://a)"'],
    ["<b>`", '"\\u003cb>\\u0060"'],
    ["a\u202e\n\u{e0041}", '"a\\u202e\\n\\udb40\\udc41"'],
    ["x".repeat(70), `"${"x".repeat(63)}…"`],
  ])("quotes %j", (one, quoted) => {
    expect(quote(one)).toBe(quoted);
  });
});

describe("quoteValue", () => {
  it.each([
    [[1, "a", null], '[1,"a",null]'],
    [{ "a`": { b: true } }, '{"a\\u0060":{"b":true}}'],
    ["é", '"é"'],
    [-0.5, "-0.5"],
    [[], "[]"],
  ])("writes %j as %s", (value, quoted) => {
    expect(quoteValue(value)).toBe(quoted);
  });

  it("cuts long values, and reads no more than it shows", () => {
    const items = Array.from({ length: 100_000 }, () => ({ a: "b".repeat(1000) }));
    expect(quoteValue(items).length).toBeLessThanOrEqual(80);
  });
});

it.each([
  ["", "the value"],
  ["/a~1b/0/$x", "/a~1b/0/$x"],
  ["/a b", '"/a b"'],
  [`/${"a".repeat(200)}`, `"/${"a".repeat(158)}…"`],
])("quotePointer(%j) is %s", (pointer, quoted) => {
  expect(quotePointer(pointer)).toBe(quoted);
});

it("plain cuts and escapes", () => {
  expect(plainLine("must\nmatch <x> `y`")).toBe("must\\u000amatch \\u003cx> \\u0060y\\u0060");
  expect(plainLine("a".repeat(300))).toHaveLength(200);
});

it.each([
  [[], 3, ""],
  [["a"], 3, "a"],
  [["a", "b"], 3, "a or b"],
  [["a", "b", "c"], 3, "a, b or c"],
  [["a", "b", "c"], 2, "a, b and 1 more"],
])("wordList(%j, %i) is %s", (words, most, list) => {
  expect(wordList(words, most)).toBe(list);
});
