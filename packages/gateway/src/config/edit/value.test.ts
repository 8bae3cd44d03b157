import fc from "fast-check";
import { createScanner } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseDocument } from "../document.ts";
import { removeValue } from "./removal.ts";
import { EditError } from "./tree.ts";
import { setValue } from "./value.ts";

const lines = (...all: string[]): string => all.join("\n");
const MODE = ["input_validation", "mode"];

describe("setValue", () => {
  it.each<[string, string, string[], string]>([
    ["a value in its place", '{"a":1,"m":"x"/*c*/}', ["m"], '{"a":1,"m":"strict"/*c*/}'],
    ["into nothing", "{}", ["m"], '{ "m": "strict" }'],
    ["into a comment", "{ /* c */ }", ["m"], '{ /* c */ "m": "strict" }'],
    ["several levels into nothing", "{}", MODE, '{ "input_validation": { "mode": "strict" } }'],
    ["behind others", '{ "a": 1 }', ["m"], '{ "a": 1, "m": "strict" }'],
    ["behind a trailing comma", '{ "a": 1, }', ["m"], '{ "a": 1, "m": "strict" }'],
    ["behind a comment", '{ "a": 1 /* a */ }', ["m"], '{ "a": 1, /* a */ "m": "strict" }'],
    [
      "behind the comment of the line before",
      lines("{", '  "a": 1 // about a', "}", ""),
      ["m"],
      lines("{", '  "a": 1, // about a', '  "m": "strict"', "}", ""),
    ],
    [
      "behind what is commented out, with a comma as the others have",
      lines("{", "\t// first", '\t"a": 1,', '\t// "b": 2', "}"),
      MODE,
      lines(
        "{",
        "\t// first",
        '\t"a": 1,',
        '\t// "b": 2',
        '\t"input_validation": { "mode": "strict" },',
        "}",
      ),
    ],
    [
      "with the line breaks of the file",
      '{\r\n    "a": {\r\n    }\r\n}\r\n',
      ["a", "b", "c", "m"],
      '{\r\n    "a": {\r\n        "b": {\r\n            "c": { "m": "strict" }\r\n        }\r\n    }\r\n}\r\n',
    ],
    ["where names hold anything", '{"a":{}}', ["a", '"\n'], '{"a":{ "\\"\\n": "strict" }}'],
    ["behind a byte order mark", "\uFEFF{}", ["m"], '\uFEFF{ "m": "strict" }'],
  ])("writes %s", (_, text, path, expected) => {
    expect(setValue(text, path, "strict")).toBe(expected);
  });

  it.each([
    ["{", ["m"]],
    ['{"a":1}', ["a", "m"]],
    ["[]", ["m"]],
    ["", ["m"]],
  ])("refuses %j", (text, path) => {
    expect(() => setValue(text, path, "strict")).toThrow(EditError);
  });
});

describe("removeValue", () => {
  it.each<[string, string, string[], string]>([
    ["the only one", '{ "m": "x" }', ["m"], "{ }"],
    ["the first", '{ "m": "x", "a": 1 }', ["m"], '{ "a": 1 }'],
    ["the last", '{ "a": 1, "m": "x" }', ["m"], '{ "a": 1 }'],
    ["the last before a comma", '{ "a": 1, "m": "x", }', ["m"], '{ "a": 1, }'],
    ["nothing where there is none", '{ "a": 1 }', ["m"], '{ "a": 1 }'],
    [
      "its line, and no comment",
      lines("{", '  "a": 1, // about a', "  // about m", '  "m": "x"', "}"),
      ["m"],
      lines("{", '  "a": 1 // about a', "  // about m", "}"),
    ],
    [
      "a value whose comment stays",
      lines("{", '  "m": "x", // about m', '  "a": 1', "}"),
      ["m"],
      lines("{", "   // about m", '  "a": 1', "}"),
    ],
    [
      "the objects that it leaves empty",
      lines("{", '  "a": 1,', '  "t": {', '    "u": { "m": "x" }', "  }", "}"),
      ["t", "u", "m"],
      lines("{", '  "a": 1', "}"),
    ],
    [
      "no object with a comment in it",
      '{ "t": { /* why */ "m": "x" } }',
      ["t", "m"],
      '{ "t": { /* why */ } }',
    ],
  ])("removes %s", (_, text, path, expected) => {
    expect(removeValue(text, path)).toBe(expected);
  });

  it("keeps as many outer objects as it is told to", () => {
    expect(removeValue('{"s":{"n":{"t":{"m":"x"}}}}', ["s", "n", "t", "m"], 2)).toBe(
      '{"s":{"n":{}}}',
    );
  });
});

const NAMES = ["a", "b", "t", "m", "é\n"];
const PATH = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });

const comment = fc.oneof(
  fc.stringMatching(/^[a-z "{},:\u00a0]*$/).map((text) => `/*${text}*/`),
  fc.stringMatching(/^[a-z "{},:/*\u00a0]*$/).map((text) => `//${text}\n`),
);
const trivia = fc
  .array(fc.oneof(fc.constantFrom(" ", "\n", "\r\n", "\t", "  "), comment), { maxLength: 3 })
  .map((parts) => parts.join(""));

/** Objects in every formatting, with comments in all places where they are allowed. */
const { object: anyText } = fc.letrec<{ object: string; value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("1.0", '"x"', "null", "[1, /* in a list */ 2]", "12345678901234567890"),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: NAMES.length }),
      fc.array(fc.tuple(trivia, trivia, tie("value"), trivia), { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      trivia,
    )
    .map(([names, parts, trailing, end]) => {
      const members = names.map((name, at) => {
        const [before, between, value, after] = parts[at] ?? ["", "", "1", ""];
        return `${before}${JSON.stringify(name)}:${between}${value}${after}`;
      });
      return `{${members.join(",")}${trailing && members.length > 0 ? "," : ""}${end}}`;
    }),
}));

function parsed(text: string): JsonObject {
  const document = parseDocument(text);
  if ("faults" in document || !isJsonObject(document.value)) throw new Error(`no object: ${text}`);
  return document.value;
}

function commentsOf(text: string): string[] {
  const scanner = createScanner(text, false);
  const comments: string[] = [];
  for (;;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    if (at >= text.length) return comments;
    if (text[at] === "/") comments.push(text.slice(at, at + scanner.getTokenLength()).trimEnd());
  }
}

/**
 * Sets or removes the same path in a parsed value; undefined if the path leads through a value that is not an object.
 */
function withValue(value: JsonValue | undefined, path: string[]): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return "strict";
  if (value !== undefined && !isJsonObject(value)) return undefined;
  const members = value ?? {};
  const inner = withValue(Object.hasOwn(members, name) ? members[name] : undefined, rest);
  return inner === undefined ? undefined : { ...members, [name]: inner };
}

function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    value,
  );
}

/** Every value that is not an object, by its path. */
function leaves(value: JsonValue, path: string): string[] {
  if (!isJsonObject(value)) return [`${path} ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, inner]) =>
    leaves(inner, `${path}/${JSON.stringify(name)}`),
  );
}

describe("an edit of any file", () => {
  it("sets the value, and keeps every comment and every other value in order", () => {
    fc.assert(
      fc.property(trivia, anyText, trivia, PATH, (before, object, after, path) => {
        const text = before + object + after;
        const expected = withValue(parsed(text), path);
        if (expected === undefined) {
          expect(() => setValue(text, path, "strict")).toThrow(EditError);
          return;
        }
        const edited = setValue(text, path, "strict");
        expect(JSON.stringify(parsed(edited))).toBe(JSON.stringify(expected));
        // Comments inside a replaced value are removed with it.
        if (!isJsonObject(valueAt(parsed(text), path)) && !text.includes("in a list")) {
          expect(commentsOf(edited)).toEqual(commentsOf(text));
        }
        expect(setValue(edited, path, "strict")).toBe(edited);
      }),
      { numRuns: sample(125, 500) },
    );
  });

  it("removes the value, and keeps every comment and every other value", () => {
    fc.assert(
      fc.property(trivia, anyText, trivia, PATH, (before, object, after, path) => {
        const text = before + object + after;
        const value = parsed(text);
        const gone = valueAt(value, path);
        const edited = removeValue(text, path);
        if (gone === undefined) {
          expect(edited).toBe(text);
          return;
        }
        expect(valueAt(parsed(edited), path)).toBeUndefined();
        const at = path.map((name) => `/${JSON.stringify(name)}`).join("");
        const others = leaves(value, "").filter((leaf) => !leaf.startsWith(`${at} `));
        if (isJsonObject(gone)) return;
        expect(leaves(parsed(edited), "")).toEqual(others);
        if (!text.includes("in a list")) expect(commentsOf(edited)).toEqual(commentsOf(text));
      }),
      { numRuns: sample(125, 500) },
    );
  });
});
