import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../testing/sample.ts";
import { canonicalText, canonicalTextSteps } from "./canonical.ts";
import { runSteps } from "./walk.ts";

describe("canonicalText", () => {
  it.each([
    ["white space", ' {"a" : [ 1 ,2 ] }\n', '{"a":[1,2]}'],
    ["the order of keys", '{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
    ["how strings are escaped", '["\\u0061\\/","\\u20ac","\\uD800"]', '["a/","€","\\ud800"]'],
    ["how numbers are spelled", "[1.0,1e2,-0,0.10,1E-7]", "[1,100,0,0.1,1e-7]"],
    [
      "numbers beyond doubles",
      "[9007199254740993,1e400,1.0e400]",
      "[9007199254740993e0,1e400,1e400]",
    ],
    ["exponents beyond all", `[1e${"9".repeat(40)}]`, `[1e${"9".repeat(40)}]`],
    ["keys that occur twice", '{"b":0,"a":1,"a":2}', '{"a":1,"a":2,"b":0}'],
    ["keys by UTF-16 code units", '{"\\uffee":1,"😀":2}', '{"😀":2,"\uffee":1}'],
    ["__proto__", '{"__proto__":1}', '{"__proto__":1}'],
    ["a scalar", ' "x" ', '"x"'],
    ["brackets in strings", '{"a":"}]\\"{"}', '{"a":"}]\\"{"}'],
    ["empty containers", '{"a":[ ],"b":{ }}', '{"a":[],"b":{}}'],
  ])("is the same for any %s", (_, text, wanted) => {
    expect(canonicalText(text)).toBe(wanted);
    expect(canonicalText(new TextEncoder().encode(text))).toBe(wanted);
  });

  it("keeps the spelling of numbers if asked to", () => {
    const text = `{"b":[1.0,1e2,-0,0.10,1E-7,9007199254740993,1e${"9".repeat(500)}],"\\u0061":1}`;
    const options = { numbers: "verbatim" } as const;
    expect(runSteps(canonicalTextSteps(text, options))).toBe(
      `{"a":1,"b":[1.0,1e2,-0,0.10,1E-7,9007199254740993,1e${"9".repeat(500)}]}`,
    );
  });

  it.each(["", "{", '{"a":1,}', "01", "[1] 2"])("is undefined for %s", (text) => {
    expect(canonicalText(text)).toBeUndefined();
  });

  it("writes several lines as JSON.stringify does", () => {
    const value = { a: [], b: [1, { c: "x", d: {} }] };
    expect(canonicalText(JSON.stringify(value), "  ")).toBe(JSON.stringify(value, null, 2));
  });

  it("reads long strings, and backslashes before quotes", long, () => {
    const text = JSON.stringify(["x".repeat(20_000_000), "\\", '\\"', "\\\\"]);
    expect(canonicalText(text)).toBe(text);
  });

  it("handles the deepest text", () => {
    const text = `${"[".repeat(9_999)}0${"]".repeat(9_999)}`;
    expect(canonicalText(text)).toBe(text);
  });

  it("keeps the value, and is stable", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalText(JSON.stringify(value)) ?? "";
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalText(text)).toBe(text);
        expect(canonicalText(JSON.stringify(value, null, 3))).toBe(text);
      }),
    );
  });
});
