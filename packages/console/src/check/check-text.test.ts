import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../../../core/src/testing/json-text.ts";
import { judgeText, MAX_FINDINGS } from "./check-text.ts";

const SCHEMA = compileDeclared({
  text: `{
    "type": "object",
    "required": ["city"],
    "properties": { "city": { "type": "string" }, "n": { "type": "integer" } },
    "additionalProperties": false
  }`,
});
/** Returns the part of the text that each finding marks. */
const marked = (text: string, schema = SCHEMA) =>
  judgeText(schema, text).findings.map(({ path, from, to }) => [path, text.slice(from, to)]);

describe("judgeText", () => {
  it("accepts a valid text without findings", () => {
    expect(judgeText(SCHEMA, '{"city":"Ulm","n":1.0}')).toEqual({
      state: "valid",
      findings: [],
      more: 0,
      unmeant: 0,
      warnings: [],
    });
  });

  it.each([
    ["what is required", '{"city":null}', []],
    ["what is not", '{"city":"Ulm","n":null}', ["/n"]],
    ["either", '{"city":"","n":""}', ["/n"]],
  ])("suggests leaving out only values that may be absent: %s", (_, text, left) => {
    const properties = { city: { type: "string", minLength: 1 }, n: { type: "integer" } };
    const schema = compileDeclared({ value: { allOf: [{ required: ["city"] }], properties } });
    const { findings, state } = judgeText(schema, text);
    expect([state, findings.length]).toEqual(["invalid", JSON.parse(text).n === "" ? 2 : 1]);
    const told = findings.filter(({ hint }) => hint === "leave it out if it is not required");
    expect(told.map(({ path }) => path)).toEqual(left);
  });

  it("checks numbers by their text, and warns about those that a double changes", () => {
    const exact = judgeText(SCHEMA, '{"city":"Ulm","n":9007199254740993}');
    expect(exact.state).toBe("valid");
    expect(exact.warnings).toMatchObject([{ path: "/n", rule: "number" }]);
    expect(judgeText(SCHEMA, '{"city":"Ulm","n":9007199254740993.5}').state).toBe("invalid");
  });

  it("marks issues after characters of every width", () => {
    expect(marked('{"x":"é😀\\ud800", "n" : "1"}')).toEqual([
      ["/city", '{"x":"é😀\\ud800", "n" : "1"}'],
      ["/x", '"é😀\\ud800"'],
      ["/n", '"1"'],
    ]);
    expect(marked("[1]")).toEqual([["", "[1]"]]);
  });

  it("says what to do", () => {
    const values = { unit: { enum: ["metric", "imperial"] }, only: { const: 1 } };
    const schema = compileDeclared({ value: { properties: values } });
    const hints = (text: string, by = SCHEMA) =>
      judgeText(by, text).findings.map(({ path, hint }) => [path, hint]);
    expect(hints("{}")).toEqual([["/city", undefined]]);
    expect(hints('{"city":"Ulm","n":"5"}')).toEqual([
      ["/n", "send the number itself, without quotes"],
    ]);
    expect(hints('{"citi":"Ulm"}')).toEqual([["/citi", undefined]]);
    // The message itself lists the allowed values.
    expect(hints('{"unit":"Metric","only":2}', schema)).toEqual([
      ["/unit", 'did you mean "metric"?'],
      ["/only", undefined],
    ]);
  });

  it("reports one issue for a value that violates both type and enum", () => {
    const schema = compileDeclared({ value: { type: "string", enum: ["a"] } });
    const { findings } = judgeText(schema, "null");
    expect(findings.map(({ predicate }) => predicate)).toEqual(['must be "a" (got null)']);
  });

  it("marks where a text stops being JSON", () => {
    const text = '{"é": 1,}';
    const { state, findings } = judgeText(SCHEMA, text);
    expect(state).toBe("unreadable");
    expect(findings.map(({ from, to }) => text.slice(from, to))).toEqual(["}"]);
    const lines = judgeText(SCHEMA, '{\n  "😀é": 1,}').findings;
    expect(lines).toMatchObject([{ place: "line 2, column 12" }]);
    expect(lines[0]?.predicate).toMatch(/^Invalid JSON: Expected a key [^,]+, found '}' \(0x7d\)$/);
    expect(judgeText(SCHEMA, "")).toMatchObject({
      state: "unreadable",
      findings: [{ from: 0, to: 0 }],
    });
  });

  it("lists a limited number of findings and counts the others", () => {
    const schema = compileDeclared({ text: '{"items":{"type":"string"}}' });
    const { findings, more } = judgeText(schema, JSON.stringify(Array(1500).fill(1)));
    expect(findings.length).toBe(MAX_FINDINGS);
    expect(findings.length + more).toBe(1500);
  });

  it("lists no more warnings than findings", () => {
    const numbers = `[${Array(150).fill("9007199254740993").join()}]`;
    expect(judgeText(compileDeclared({ text: "true" }), numbers).warnings.length).toBe(
      MAX_FINDINGS,
    );
    const open = compileDeclared({ value: { properties: { city: { type: "string" } } } });
    expect(judgeText(open, '{"citi":"Ulm"}')).toMatchObject({ state: "valid", findings: [] });
  });

  it("lists issues of the closest or selected branch of a union, and counts the others", () => {
    const [card, cash] = [{ required: ["card"] }, { properties: { cents: { type: "integer" } } }];
    const schema = compileDeclared({ value: { properties: { pay: { oneOf: [card, cash] } } } });
    const told = (chosen?: number) => {
      const { findings, more, unmeant } = judgeText(schema, '{"pay":{"cents":"1"}}', () => chosen);
      return [findings.map(({ path }) => path), more, unmeant];
    };
    expect(told()).toEqual([["/pay/cents"], 0, 1]);
    expect(told(0)).toEqual([["/pay/card"], 0, 1]);
  });

  it("reports an issue once that several branches of a union share", () => {
    const branch = { type: "object" };
    const schema = compileDeclared({ value: { anyOf: [branch, branch, branch] } });
    const { findings, more, unmeant } = judgeText(schema, "1");
    const told = findings.map(({ predicate }) => predicate);
    expect([told, more, unmeant]).toEqual([["must be an object (got an integer)"], 0, 0]);
  });

  it("says that a broken schema checks nothing", () => {
    const schema = compileDeclared({ text: '{"type":"strng"}' });
    expect(judgeText(schema, "{}").state).toBe("unusable");
  });

  it("says that a schema that always applies itself checks nothing", () => {
    const schema = compileDeclared({ text: '{"$ref":"#"}' });
    expect(judgeText(schema, "{}").state).toBe("unusable");
  });

  it("says that nothing was checked if a check does not finish", () => {
    const schema = compileDeclared({ text: '{"anyOf":[{"$ref":"#"}]}' });
    expect(judgeText(schema, "{}").state).toBe("unchecked");
  });

  it("handles texts that are nested too deep", () => {
    for (const depth of [100, 20_000]) {
      const { state, findings } = judgeText(SCHEMA, "[".repeat(depth) + "]".repeat(depth));
      expect(state).toBe("invalid");
      expect(findings).toMatchObject([{ path: "", predicate: expect.stringContaining("nest") }]);
    }
  });

  it("marks places inside the text, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(jsonNode.map(jsonNodeText), fc.string({ unit: "binary" })), (text) => {
        const { findings, state } = judgeText(SCHEMA, text);
        expect(state === "valid").toBe(findings.length === 0);
        for (const { from, to } of findings) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeGreaterThanOrEqual(from);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});
