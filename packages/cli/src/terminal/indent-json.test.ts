import fc from "fast-check";
import { expect, it } from "vitest";
import { indentJson } from "./indent-json.ts";

it("formats JSON as JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: true }), fc.constantFrom(0, 1, 3), (text, indent) => {
      const value: unknown = JSON.parse(text);
      // Excludes strings with characters that a terminal could act on, which are escaped.
      fc.pre(!/\\u00[01]/.test(JSON.stringify(value)));
      const given = JSON.stringify(value, null, indent);
      expect(JSON.parse(indentJson(given))).toEqual(value);
      expect(indentJson(given)).toBe(indentJson(indentJson(given)));
    }),
  );
});

it("keeps numbers, keys and spelling", () => {
  const text =
    '{"n":9007199254740993,"f":1.0,"n":1e400,"e":[ ],"o":{},"s":"\\u0041{[,:]}\\"","a":[1,[2]]}';
  expect(indentJson(text)).toBe(`{
  "n": 9007199254740993,
  "f": 1.0,
  "n": 1e400,
  "e": [],
  "o": {},
  "s": "\\u0041{[,:]}\\"",
  "a": [
    1,
    [
      2
    ]
  ]
}
`);
});

it("escapes control characters", () => {
  expect(indentJson('"\u001b[31m\u202e"'.replace("\u001b", "\u009b"))).toBe(
    '"\\u009b[31m\\u202e"\n',
  );
});
