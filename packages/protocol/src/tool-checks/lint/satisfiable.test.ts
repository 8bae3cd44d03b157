import { compileDeclared, type JsonObject } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { lintTools } from "./lint-tools.ts";
import { ContradictionFinder } from "./satisfiable.ts";

const found = (inputSchema: object) =>
  lintTools([{ name: "t", description: "d", inputSchema }])
    .filter(({ rule }) => ["never-satisfied", "only-empty"].includes(rule))
    .map(({ rule, severity, path }) => `${severity} ${rule} ${path.replace("/inputSchema", "")}`);
const property = (a: object, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const closed = (name: string) => ({
  type: "object",
  properties: { [name]: {} },
  required: [name],
  additionalProperties: false,
});

describe("schemas that nothing satisfies", () => {
  it.each<[string, object]>([
    ["values of another type", { type: "integer", enum: ["1"] }],
    ["values on an array", { type: "array", enum: ["x"] }],
    ["no value", { enum: [] }],
    ["a constant of another type", { type: "string", const: 5 }],
    ["a constant out of its bounds", { type: "integer", const: 5, maximum: 3 }],
    ["bounds", { type: "integer", minimum: 5, maximum: 3 }],
    [
      "bounds without a whole number",
      { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
    ],
    ["equal bounds, one of them open", { type: "number", minimum: 1, exclusiveMaximum: 1 }],
    ["lengths", { type: "string", minLength: 2, maxLength: 1 }],
    ["counts", { type: "array", items: {}, minItems: 2, maxItems: 1 }],
    ["an item", { type: "array", items: false, minItems: 1 }],
    ["two types", { allOf: [{ type: "string" }, { type: "integer" }] }],
    ["two closed objects", { allOf: [closed("a"), closed("b")] }],
    ["a closed base", { $ref: "#/$defs/closed", required: ["other"] }],
    [
      "closed around branches",
      {
        additionalProperties: false,
        type: "object",
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
    ],
    ["twin branches", { oneOf: [{ type: "string" }, { type: "string" }] }],
    [
      "a required member that nothing can be",
      { type: "object", properties: { b: false }, required: ["b"] },
    ],
    ["a name", { type: "object", required: ["ab"], propertyNames: { maxLength: 1 } }],
    ["a tree without leaves", { $ref: "#/$defs/tree" }],
    ["not", { not: {} }],
    [
      "too few names",
      { type: "object", properties: { b: {} }, additionalProperties: false, minProperties: 2 },
    ],
  ])("%s", (_, schema) => {
    const $defs = {
      closed: closed("c"),
      tree: { type: "object", properties: { next: { $ref: "#/$defs/tree" } }, required: ["next"] },
    };
    expect(found(property(schema, { $defs }))).toContain("error never-satisfied /properties/a");
  });

  it.each<[string, object, readonly string[]]>([
    [
      "a tool without parameters",
      { type: "object", properties: {}, additionalProperties: false },
      [],
    ],
    [
      "a closed object without members",
      property({ type: "object", additionalProperties: false }),
      ["warning only-empty /properties/a"],
    ],
    [
      "an empty branch",
      property({ anyOf: [{ type: "object", additionalProperties: false }, { type: "null" }] }),
      [],
    ],
    [
      "a branch",
      property({ anyOf: [{ type: "string" }, { type: "null", enum: ["a"] }] }),
      ["warning never-satisfied /properties/a/anyOf/1"],
    ],
    ["a forbidden member", { type: "object", properties: { a: false } }, []],
    ["what is refused by not", property({ not: { enum: [] } }), []],
    [
      "the whole",
      { type: "object", allOf: [closed("a"), closed("b")] },
      ["error never-satisfied "],
    ],
    [
      "a tree with leaves",
      {
        type: "object",
        properties: { a: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
        required: ["a"],
      },
      [],
    ],
    [
      "keywords beside a reference in draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        definitions: { s: { type: "string" } },
        properties: { a: { $ref: "#/definitions/s", type: "integer" } },
      },
      [],
    ],
  ])("%s", (_, schema, expected) => {
    expect(found(schema)).toEqual(expected);
  });

  it("are refused by the engine, whatever the value", () => {
    const small = fc.constantFrom(
      null,
      true,
      0,
      1,
      2.5,
      "",
      "a",
      "ab",
      [],
      [1],
      ["a", "b"],
      {},
      { a: 1 },
      { a: "a", b: 1 },
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
      const inner = tie("schema");
      const count = fc.integer({ min: 0, max: 3 });
      const names = fc.subarray(["a", "b"]);
      return {
        schema: fc.oneof(
          { maxDepth: 2, withCrossShrink: true },
          fc.boolean(),
          fc.record(
            {
              type: fc.constantFrom("string", "integer", "number", "object", "array", "null"),
              enum: fc.array(small, { maxLength: 2 }),
              const: small,
              minimum: count,
              exclusiveMaximum: count,
              minLength: count,
              maxLength: count,
              minItems: count,
              maxItems: count,
              items: inner,
              required: names,
              properties: fc.record({ a: inner, b: inner }, { requiredKeys: [] }),
              additionalProperties: inner,
              propertyNames: fc.record({ maxLength: count }),
              minProperties: count,
              maxProperties: count,
              allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
              anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
              oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
              not: inner,
              $ref: fc.constant("#/properties/a"),
            },
            { requiredKeys: [] },
          ),
        ),
      };
    });
    const value = fc.oneof(small, fc.jsonValue({ maxDepth: 3 }));
    let contradictions = 0;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 10, maxLength: 20 }), (top, values) => {
        const compiled = compileDeclared({ value: top as never });
        fc.pre(compiled.error === undefined && typeof top === "object");
        if (new ContradictionFinder(top as JsonObject).none([top]) === undefined) return;
        contradictions += 1;
        for (const one of values) expect(compiled.validate(one).valid).toBe(false);
      }),
      { numRuns: sample(60, 200), endOnFailure: true },
    );
    expect(contradictions).toBeGreaterThan(sample(5, 20));
  });

  it("ends for schemas that say nothing, of which there are too many", () => {
    const contradictions = new ContradictionFinder({});
    for (let visits = 0; visits < 20_000; visits += 1) contradictions.none([true]);
    expect(contradictions.isCut).toBe(true);
  });
});
