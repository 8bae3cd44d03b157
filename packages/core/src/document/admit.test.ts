import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import type { SchemaInput } from "./source.ts";

const text = (value: string): SchemaInput => ({ text: value });
const value = (schema: unknown): SchemaInput => ({ value: schema });
const nested = (depth: number): string =>
  `${'{"items":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;

describe("faults", () => {
  it.each([
    [
      "a misspelled type",
      value({ properties: { a: { type: "strin" } } }),
      "metaschema",
      "/properties/a/type",
      '"string"',
    ],
    [
      "required of the wrong type",
      value({ required: "url" }),
      "metaschema",
      "/required",
      "/required must be an array (got a string of 3 characters)",
    ],
    [
      "$schema of the wrong type",
      value({ $schema: 7 }),
      "metaschema",
      "/$schema",
      "/$schema must be a string (got an integer)",
    ],
    ["text that is not JSON", text('{"type":'), "invalid_json", "", "at byte 8"],
    [
      "text that is not UTF-8",
      { text: new Uint8Array([0x22, 0xff, 0x22]) },
      "invalid_json",
      "",
      "byte",
    ],
    ["a number", text("5"), "not_a_schema", "", "a number is not a schema"],
    ["an array", value([]), "not_a_schema", "", "an array is not a schema"],
    ["a function", value(() => true), "not_a_schema", "", "function"],
    ["a bigint", value({ maximum: 5n }), "invalid_json", "", "BigInt"],
    [
      "a network reference",
      value({ items: { $ref: "https://example.com/a.json" } }),
      "unresolved_reference",
      "/items/$ref",
      "https://example.com/a.json",
    ],
    [
      "a file reference",
      value({ items: { $ref: "file:///etc/passwd" } }),
      "unresolved_reference",
      "/items/$ref",
      "never fetched",
    ],
    [
      "a missing definition",
      value({ $ref: "#/$defs/constructor", $defs: {} }),
      "unresolved_reference",
      "/$ref",
      "#/$defs/constructor",
    ],
    ["a missing anchor", value({ $ref: "#nowhere" }), "unresolved_reference", "/$ref", "#nowhere"],
    [
      "a broken percent escape",
      value({ $ref: "#/$defs/%zz" }),
      "unresolved_reference",
      "/$ref",
      "%zz",
    ],
    [
      "a pattern",
      value({ properties: { a: { pattern: "(" } } }),
      "invalid_pattern",
      "/properties/a/pattern",
      "regular expression",
    ],
    [
      "a property pattern",
      value({ patternProperties: { "a/[": {} } }),
      "invalid_pattern",
      "/patternProperties/a~1[",
      "regular expression",
    ],
    [
      "a pattern that is too long",
      value({ pattern: "a".repeat(9_000) }),
      "invalid_pattern",
      "/pattern",
      "is not used as a pattern: it is too long: 9000 characters, and at most 8192 are allowed",
    ],
    [
      "a pattern whose groups nest too deep",
      value({ pattern: `${"(".repeat(300)}a${")".repeat(300)}` }),
      "invalid_pattern",
      "/pattern",
      "its groups nest deeper than 200",
    ],
    [
      "a pattern with too many uses of Unicode properties",
      value({ pattern: "\\p{L}".repeat(100) }),
      "invalid_pattern",
      "/pattern",
      "it uses Unicode properties more than 64 times",
    ],
    [
      "two schemas of one $id",
      value({
        $ref: "http://x/a",
        $defs: { a: { $id: "http://x/a", type: "null" }, b: { $id: "http://x/a" } },
      }),
      "unresolved_reference",
      "/$ref",
      "more than one schema",
    ],
  ])("%s", (_name, schema, code, path, part) => {
    const compiled = compileDeclared(schema);
    expect(compiled.error).toMatchObject({ code, path, message: expect.stringContaining(part) });
    expect(compiled.dialect).toBeUndefined();
    const check = compiled.validateText("1");
    expect(check).toEqual({
      valid: false,
      outcome: "uncompilable",
      errors: [
        {
          path: "",
          keyword: "schema",
          rule: "schema",
          message: `Invalid schema: ${compiled.error?.message}`,
        },
      ],
      warnings: [],
      suggestions: [],
      counts: { schema: 1 },
    });
    expect(compiled.validate(1)).toEqual(check);
  });

  it("lists at most 20 places that violate the metaschema", () => {
    const { error: fault } = compileDeclared(value({ minLength: -1, maxLength: "a", title: 5 }));
    expect(fault?.details?.map(({ path }) => path).sort()).toEqual([
      "/maxLength",
      "/minLength",
      "/title",
    ]);
    expect(fault?.message).toContain("(and 2 more)");
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, 5]));
    expect(compileDeclared(value({ properties })).error?.details).toHaveLength(20);
  });

  it.each<[object, string, string]>([
    [
      { type: "strng" },
      "/type",
      'must be one of "array", "boolean", "integer", "null", "number", "object", "string" or an array (got a string of 5 characters)',
    ],
    [{ properties: { a: 5 } }, "/properties/a", "must be an object or a boolean (got an integer)"],
    [{ items: [{}] }, "/items", "must be an object or a boolean (got an array of 1 item)"],
    [{ minLength: -1 }, "/minLength", "must be at least 0"],
    [
      { $schema: "http://json-schema.org/draft-04/schema#", exclusiveMinimum: true },
      "/minimum",
      'is required if "exclusiveMinimum" is present',
    ],
  ])("reports in one readable message how %j violates the metaschema", (schema, path, message) => {
    const { error: fault } = compileDeclared(value(schema));
    expect(fault?.details).toEqual([{ code: "metaschema", path, message }]);
    expect(fault?.message).toMatch(new RegExp(`: ${path} `));
    expect(fault?.message).not.toContain("more)");
  });
});

describe("limits", () => {
  const tooMany = { anyOf: Array.from({ length: 10 }, () => ({})) };
  it.each([
    ["bytes of a text", text(`{"title":"${"a".repeat(2_000_000)}"}`), {}, "too_large"],
    ["bytes of a value", value({ title: "a".repeat(2_000_000) }), {}, "too_large"],
    ["depth of a text", text(nested(257)), {}, "too_deep"],
    [
      "depth of a text of a million levels",
      text(nested(1_000_000).slice(0, 1_000_000)),
      {},
      "too_deep",
    ],
    ["depth of a value", value(JSON.parse(nested(257))), {}, "too_deep"],
    ["subschemas", value(tooMany), { maxSubschemas: 10 }, "too_many_subschemas"],
  ])("%s", (_name, schema, limits, code) => {
    expect(compileDeclared(schema, { limits }).error?.code).toBe(code);
  });

  it("accepts a schema exactly at the limit", () => {
    expect(compileDeclared(text(nested(256))).error).toBeUndefined();
    expect(
      compileDeclared(value(tooMany), { limits: { maxSubschemas: 11 } }).error,
    ).toBeUndefined();
    expect(compileDeclared(value({}), { limits: { maxBytes: 2 } }).error).toBeUndefined();
    expect(compileDeclared(value({}), { limits: { maxBytes: Number.NaN } }).error).toBeUndefined();
  });
});

describe("a reference to another document", () => {
  it.each([
    [{ $ref: "https://example.com/s.json" }, true],
    [{ $ref: "file:///etc/passwd" }, true],
    [{ $ref: "other.json#/$defs/a" }, true],
    [{ $ref: "urn:example:s" }, true],
    [{ $dynamicRef: "https://example.com/s#x" }, true],
    [{ $id: "https://example.com/a", $ref: "b" }, true],
    [{ $ref: "#/$defs/none" }, false],
    [{ $ref: "#none" }, false],
    [{ $id: "https://example.com/a", $ref: "a#/none" }, false],
    [{ $ref: "http://json-schema.org/draft-07/schema#/definitions/none" }, false],
    [{ type: "none" }, false],
  ])("is told apart from other faults: %j", (schema, isExternal) => {
    const { error: fault } = compileDeclared(value(schema));
    expect(fault?.isExternal).toBe(isExternal ? true : undefined);
    expect(fault?.code).toBe("type" in schema ? "metaschema" : "unresolved_reference");
  });
});
