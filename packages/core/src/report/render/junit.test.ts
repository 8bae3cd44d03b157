import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderJunit, xmlText } from "./junit.ts";
import { BAD, BROKEN, checked, GOOD, LOSSY, UNREAD } from "./testing/documents.ts";

/** What XML 1.0 calls Char (section 2.2). */
const CHARS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** The elements of a document, checked to be nested well, with their attributes. */
function elements(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const rest = xml.replace(/<\?xml [^?]*\?>\n/, "");
  const tag =
    /<(\/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot|apos|#x[\da-f]+);[^"<&]*)*")*)(\/?)>/g;
  const text = rest.replace(
    tag,
    (_, close: string, name: string, attributes: string, empty: string) => {
      if (close === "/") expect(open.pop()).toBe(name);
      else {
        seen.push(name + attributes);
        if (empty === "") open.push(name);
      }
      return "";
    },
  );
  expect(open).toEqual([]);
  expect(text.replace(/&(?:amp|lt|gt|quot|apos|#x[\da-f]+);/g, "")).not.toMatch(/[<&]/);
  return seen;
}

describe("renderJunit", () => {
  it("writes a test case for each document, with failures and warnings", () => {
    const xml = renderJunit([GOOD, BAD, LOSSY, { ...BROKEN, line: 7 }]);
    expect(elements(xml)).toEqual([
      'testsuites tests="4" failures="2" errors="0"',
      'testsuite name="touchstone validate" tests="4" failures="2" errors="0"',
      'testcase classname="touchstone.validate" name="good.json"',
      'testcase classname="touchstone.validate" name="a b.json"',
      'failure message="3 issues" type="violation"',
      'testcase classname="touchstone.validate" name="lossy.json"',
      "system-out",
      'testcase classname="touchstone.validate" name="broken.json:7"',
      'failure message="1 issue" type="violation"',
    ]);
    expect(xml).toContain("3:7 /n must be an integer (got a string of 1 character) (type)");
    expect(xml).toContain("8:3 Invalid JSON");
  });

  it("writes an error for a document that could not be read", () => {
    const xml = renderJunit([GOOD, UNREAD]);
    expect(elements(xml)).toEqual([
      'testsuites tests="2" failures="0" errors="1"',
      'testsuite name="touchstone validate" tests="2" failures="0" errors="1"',
      'testcase classname="touchstone.validate" name="good.json"',
      'testcase classname="touchstone.validate" name="gone.json"',
      expect.stringMatching(/^error message="gone\.json cannot be read: [^"]+" type="unread"$/),
    ]);
    expect(xml).not.toMatch(/\p{Cf}/u);
  });

  it("writes well-formed XML, whatever the names and texts", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(text, fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }), (name, value) => {
        const xml = renderJunit([checked(name, JSON.stringify(value))]);
        expect(xml).toMatch(CHARS);
        expect(elements(xml).length).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: 50 },
    );
  });

  it("escapes each character that a terminal would act on or not show", () => {
    const name = "a\u202e\u009b31m\u{e0041}.json";
    const xml = renderJunit([checked(name, '{"\u202e":')]);
    expect(xml).toContain('name="a&#x202e;&#x9b;31m&#xe0041;.json"');
    expect(xml).not.toMatch(/[\p{Cf}\u007f-\u009f]/u);
  });

  it("replaces what XML forbids, and escapes what an attribute would lose", () => {
    expect(xmlText("a\u0000\ud800b😀\t\n<&'\"")).toBe(
      "a\ufffd\ufffdb😀&#x9;&#xa;&lt;&amp;&apos;&quot;",
    );
  });
});
