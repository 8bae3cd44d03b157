import {
  type CompiledSchema,
  compileDeclared,
  type JsonObject,
  runSteps,
} from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { compareSteps, type SchemaComparison } from "./disagreement.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

const compareSchemas = (
  first: JsonObject,
  compiled: CompiledSchema,
  second: JsonObject,
): SchemaComparison => runSteps(compareSteps(first, compiled, second, { isPatient: true }));

const text = { type: "string" };
const among = (a: JsonObject): JsonObject => object({ x: text, y: text, z: text, a });
const values = Array.from({ length: 300 }, (_, at) => `v${at}`);
/** Differences that random values hardly ever show. */
const RARE: readonly [string, JsonObject, JsonObject][] = [
  ["whole numbers", among({ type: "number" }), among({ type: "integer" })],
  ["one value of many", among({ enum: values }), among({ enum: values.slice(1) })],
  ["many items", among({ type: "array", maxItems: 900 }), among({ type: "array", maxItems: 899 })],
  ["a long text", among({ ...text, maxLength: 9_000 }), among(text)],
  ["one text", among({ ...text, not: { const: "drop" } }), among(text)],
  ["a pattern", among({ ...text, pattern: "^a{1,64}$" }), among({ ...text, pattern: "^a{1,63}$" })],
  ["a name", object({}, { propertyNames: { not: { const: "admin" } } }), object({})],
];

describe("compareSteps", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["a bound", { type: "integer", minimum: 1 }, { type: "integer", minimum: 2 }],
    ["an open bound", { type: "number", exclusiveMinimum: 1 }, { type: "number", minimum: 1 }],
    ["a length", { type: "string", maxLength: 3 }, { type: "string", maxLength: 4 }],
    ["what is required", object({ a: {} }, { required: ["a"] }), object({ a: {} })],
    ["what is closed", object({}, { additionalProperties: false }), object({})],
    ["a type", { type: ["string", "null"] }, { type: "string" }],
    ["a value", { enum: ["a", "b"] }, { enum: ["a"] }],
    [
      "a branch",
      { oneOf: [{ type: "integer" }, { type: "number" }] },
      { anyOf: [{ type: "integer" }, { type: "number" }] },
    ],
    ["items", { type: "array", items: { type: "string" } }, { type: "array", items: {} }],
    ["a definition", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, {}],
    ["how many", { type: "array", minItems: 1 }, { type: "array" }],
    ...RARE,
  ])("finds that two schemas differ in %s", (_, a, b) => {
    expect(compareSchemas(a, compileDeclared({ value: a }), b).disagreement).toBeDefined();
    expect(compareSchemas(b, compileDeclared({ value: b }), a).disagreement).toBeDefined();
  });

  it("finds no difference between a schema and itself, and tries accepted values", () => {
    const schema = object(
      { a: { type: "string" }, b: { type: "integer", minimum: 3 } },
      { required: ["a"] },
    );
    const found = compareSchemas(schema, compileDeclared({ value: schema }), schema);
    expect(found.disagreement).toBeUndefined();
    expect(found.accepted).toBeGreaterThan(found.judged / 4);
  });

  describe("with a wide object", () => {
    const names = Array.from({ length: 2000 }, (_, i) => `name${i}`);
    const wide = (properties: JsonObject): JsonObject =>
      object(
        { ...Object.fromEntries(names.map((name) => [name, { type: "string" }])), ...properties },
        { required: names },
      );
    const schema = wide({});

    it("tries fewer values, some of which are accepted", long, () => {
      const found = compareSchemas(schema, compileDeclared({ value: schema }), schema);
      expect(found.disagreement).toBeUndefined();
      expect(found.judged).toBeLessThan(100);
      expect(found.accepted).toBeGreaterThan(found.judged / 4);
    });

    it("finds that a single member differs", () => {
      const other = wide({ name7: { enum: ["b", "c"] } });
      expect(
        compareSchemas(schema, compileDeclared({ value: schema }), other).disagreement,
      ).toBeDefined();
    });
  });
});
