import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { encodeUtf8 } from "../../json/text.ts";
import { renderForTerminal } from "./terminal.ts";
import { BAD, BROKEN, checked, GOOD, LOSSY } from "./testing/documents.ts";

describe("renderForTerminal", () => {
  it("marks each place in the text", () => {
    expect(renderForTerminal(BAD).split("\n")).toEqual([
      "invalid  a b.json: 3 issues",
      "  1:1 Add /city, which is required: a string.",
      "    1 | {",
      "        ^",
      '  2:3 Remove "/town\\u202e": it is not declared; unused names are "city".',
      '    2 |   "town\\u202e": 1,',
      "          ^^^^^^^^^^^^",
      "  3:7 Change /n: must be an integer; it is a string of 1 character: send the number itself, without quotes.",
      '    3 |  "n": "5"',
      "              ^^^",
      "",
    ]);
  });

  it("marks a misspelled name at its key", () => {
    expect(renderForTerminal(checked("x", '{"ctiy":"a"}')).split("\n")).toContain(
      '  1:2 Rename /ctiy to "city", which is required: a string.',
    );
  });

  it("marks invalid JSON and numbers that no double can hold", () => {
    expect(renderForTerminal({ ...BROKEN, line: 41 })).toMatch(
      /^invalid {2}broken\.json:41: 1 issue\n {2}42:3 Invalid JSON: .*\n {4}42 \| {3}nope\}\n {11}\^\n$/,
    );
    expect(renderForTerminal(LOSSY)).toMatch(
      /^valid .*\n {2}1:17 warning: \/n cannot be held by an IEEE 754 double; /,
    );
    expect(renderForTerminal(GOOD)).toBe("valid    good.json\n");
  });

  const NAMES = { additionalProperties: { type: "string" } };
  it.each<[string, string, string, string]>([
    ["wide characters", '{"都市":1}', '    1 | {"都市":1}', "                ^"],
    ["emoji", '{"a😀":1}', '    1 | {"a😀":1}', "               ^"],
    ["marks", '{"e\u0301":1}', '    1 | {"e\u0301":1}', "             ^"],
    ["halfwidth letters", '{"ｱ":1}', '    1 | {"ｱ":1}', "             ^"],
  ])("puts the caret under a place that follows %s", (_, text, line, caret) => {
    expect(
      renderForTerminal(checked("x", text, NAMES))
        .split("\n")
        .slice(2, 4),
    ).toEqual([line, caret]);
  });

  it("draws a caret for each column that the value takes", () => {
    const lines = renderForTerminal(checked("x", '["都市😀"]', { items: { type: "null" } }));
    expect(lines.split("\n").slice(2, 4)).toEqual(['    1 | ["都市😀"]', "         ^^^^^^^^"]);
  });

  it("shows a line that fits in full, however far right the place is", () => {
    const line = `  "mode": ${JSON.stringify("m".repeat(40))}, "city": 5 }`;
    const document = checked("x", `{\n${line}`, { properties: { city: { type: "string" } } });
    const shown = renderForTerminal(document).split("\n").slice(2, 4);
    expect(shown).toEqual([`    2 | ${line}`, `    ${" ".repeat(4 + line.indexOf("5"))}^`]);
    const [cut = ""] = renderForTerminal(document, { width: 60 }).split("\n").slice(2);
    expect(cut).toMatch(/^ {4}2 \| m+", "city": 5 \}$/);
  });

  it("does not treat a Windows line end as part of a line", () => {
    const lines = renderForTerminal(checked("x", '{\r\n  "a": [\r\n1]\r\n}', NAMES)).split("\n");
    expect(lines.slice(2, 4)).toEqual(['    2 |   "a": [', "               ^"]);
    const empty = renderForTerminal(checked("x", '{"city":\r\n', NAMES));
    expect(empty).not.toContain("\\u000d");
  });

  it("uses colors only when asked to", () => {
    expect(renderForTerminal(BAD)).not.toContain("\u001b");
    expect(renderForTerminal(BAD, { color: true })).toContain("\u001b[31minvalid\u001b[0m");
  });

  it("lists fifty places and counts the rest", () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 1]));
    const text = renderForTerminal(
      checked("x", JSON.stringify(many), { additionalProperties: false }),
    );
    expect(text.match(/Remove/g)).toHaveLength(50);
    expect(text).toMatch(/ {2}and \d+ more\n$/);
  });

  it("lists no more than the given number, and counts what the check left out", () => {
    const schema = compileDeclared({ value: { items: { type: "string" } } });
    const bytes = encodeUtf8("[1,2,3,4]");
    const document = { name: "x", bytes, check: schema.validateText(bytes, { maxIssues: 3 }) };
    expect(renderForTerminal(document, { maxListed: 2 })).toMatch(/\n {2}and 2 more\n$/);
    expect(renderForTerminal(document)).toMatch(/\n {2}and 1 more\n$/);
  });

  it("fits the width and escapes hidden characters, wherever the place is", () => {
    const unit = fc.constantFrom("\u202e", "漢", "\t", "\u0007", "a", '"', "\ud800");
    const key = fc.string({ unit, maxLength: 200 });
    fc.assert(
      fc.property(key, key, fc.integer({ min: 40, max: 120 }), (before, after, width) => {
        const document = checked(
          "x",
          JSON.stringify({ [`b${before}`]: 1, n: "x", [`c${after}`]: 2 }),
        );
        const lines = renderForTerminal(document, { width }).split("\n");
        for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        for (const line of lines.filter((one) => /^ {4}/.test(one))) {
          expect(line.length).toBeLessThanOrEqual(width + 4);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  ["no options", null],
  ["a width that is none", { width: Number.NaN }],
  ["a width of another type", { width: 10n }],
  ["a number of places that is none", { maxListed: -1 }],
  ["a number of places of another type", { maxListed: Symbol("3") }],
])("uses the default instead of %s", (_, options) => {
  expect(renderForTerminal(BAD, options as never)).toBe(renderForTerminal(BAD));
});

it.each([null, "text", 1, {}])("locates nothing if the bytes are %j", (bytes) => {
  const { bytes: _text, ...document } = BAD;
  expect(renderForTerminal({ ...BAD, bytes: bytes as never })).toBe(renderForTerminal(document));
});
