import { compileDeclared, encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonTypeAt, requiredTypes } from "./outline.ts";

const TYPES = ["string", "object", "array", "boolean", "number", "integer", "null"];

function accepts(type: string | readonly string[], text: string): boolean | undefined {
  const asked = requiredTypes({ type });
  if (asked === undefined) return undefined;
  const bytes = encodeUtf8(`[${text}]`);
  const end = bytes.length - 1;
  return (asked.types & jsonTypeAt(bytes, 1)) !== 0 && (asked.test?.(bytes, 1, end) ?? true);
}

describe("requiredTypes", () => {
  it.each([
    ["string", '"a"', true],
    ["string", "1", false],
    ["object", "{}", true],
    ["object", "[]", false],
    ["array", "[]", true],
    ["boolean", "true", true],
    ["boolean", "false", true],
    ["boolean", "null", false],
    ["null", "null", true],
    ["number", "-1.5e3", true],
    ["integer", "12", true],
    ["integer", "-12", true],
    ["integer", "1.5", false],
    ["integer", '"1"', false],
    [["string", "integer"], '"1.5"', true],
    [["string", "integer"], "1.5", false],
    [["integer", "number"], "1.5", true],
  ] as const)("for %j, %s returns %s", (type, text, expected) => {
    expect(accepts(type, text)).toBe(expected);
  });

  it.each([
    ["another keyword", { type: "string", minLength: 1 }],
    ["no type", {}],
    ["a type that there is not", { type: "text" }],
    ["a name that all objects have", { type: "toString" }],
  ])("is undefined for a schema with %s", (_, schema) => {
    expect(requiredTypes(schema)).toBeUndefined();
  });

  it("accepts only what the schema accepts, except long spellings of integers", () => {
    const number = fc.constantFrom("0", "-0", "1e2", "1.0", "-7", "12345678901234567890", "0.5");
    const text = fc.oneof(
      number,
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    const types = fc.oneof(
      fc.constantFrom(...TYPES),
      fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 }),
    );
    fc.assert(
      fc.property(types, text, (type, value) => {
        const { valid } = compileDeclared({ value: { type } }).validateText(value);
        const spelt = /^-?\d+[.eE]/.test(value);
        if (valid && spelt) return;
        expect(accepts(type, value)).toBe(valid);
      }),
    );
  });
});
