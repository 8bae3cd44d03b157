import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CompiledSchema, compileDeclared } from "../compile.ts";
import { jsonSchema, jsonValue } from "../engine/testing/arbitrary.ts";
import { sample } from "../testing/sample.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function given(compiled: CompiledSchema): Record<string, unknown> {
  return compiled["~standard"].jsonSchema.input({ target: "draft-07" });
}

const converted = (value: unknown) => given(compileDeclared({ value }));

describe("a schema as draft-07", () => {
  it.each<[string, unknown, object]>([
    ["plain", { type: "object", description: "d" }, { type: "object", description: "d" }],
    ["true", true, {}],
    ["false", false, { not: {} }],
    [
      "definitions, which may have one name twice",
      {
        properties: { a: { $ref: "#/$defs/x" }, b: { $ref: "#/definitions/x" } },
        $defs: { x: { type: "string" } },
        definitions: { x: { type: "null" } },
      },
      {
        properties: { a: { $ref: "#/definitions/x" }, b: { $ref: "#/definitions/x_" } },
        definitions: { x: { type: "string" }, x_: { type: "null" } },
      },
    ],
    [
      "what stands beside a reference",
      {
        $ref: "#/$defs/a%20b",
        title: "t",
        $defs: { "a b": { anyOf: [{ $ref: "#", allOf: [true] }] } },
      },
      {
        title: "t",
        definitions: { "a b": { anyOf: [{ allOf: [true, { $ref: "#" }] }] } },
        allOf: [{ $ref: "#/definitions/a%20b" }],
      },
    ],
    [
      "a list of items",
      { prefixItems: [{ const: 1 }], items: { $ref: "#/prefixItems/0" }, additionalItems: false },
      { items: [{ const: 1 }], additionalItems: { $ref: "#/items/0" } },
    ],
    ["no list of items", { items: { const: 1 }, additionalItems: false }, { items: { const: 1 } }],
    [
      "what depends on properties",
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { minProperties: 2 } } },
      { dependencies: { a: ["b"], c: { minProperties: 2 } } },
    ],
    [
      "an item that is contained",
      { contains: { const: 1 }, minContains: 1 },
      { contains: { const: 1 } },
    ],
    ["an item that may be", { contains: { const: 1 }, minContains: 0 }, {}],
    ["a value that stands there twice", { enum: [{ a: 1 }, 1, { a: 1 }] }, { enum: [{ a: 1 }, 1] }],
    ["what is evaluated anyway", { unevaluatedProperties: true }, {}],
    [
      "names of keywords",
      { properties: { $defs: {}, $ref: {}, prefixItems: {} } },
      { properties: { $defs: {}, $ref: {}, prefixItems: {} } },
    ],
    ["values like schemas", { const: { $defs: 1, $ref: "x" } }, { const: { $defs: 1, $ref: "x" } }],
  ])("has the same meaning: %s", (_, schema, expected) => {
    const made = converted(schema);
    expect(made).toEqual(schema === false ? expected : { $schema: DRAFT_07, ...expected });
    expect(compileDeclared({ value: made }).error).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    [
      "unevaluatedProperties",
      { properties: { a: { unevaluatedProperties: false } } },
      /"unevaluatedProperties" at \/properties\/a has no equal there; ask for draft-2020-12$/,
    ],
    ["a dynamic reference", { items: { $dynamicRef: "#" } }, /"\$dynamicRef" at \/items/],
    ["a number of items", { contains: {}, minContains: 2 }, /"minContains"/],
    ["at most so many", { contains: {}, maxContains: 2 }, /"maxContains"/],
    ["an anchor", { $ref: "#a", $defs: { a: { $anchor: "a" } } }, /"\$ref" at the root leads/],
    ["an identifier", { items: { $id: "urn:x" } }, /"\$id" at \/items/],
    [
      "one name twice",
      { dependentRequired: { a: ["b"] }, dependentSchemas: { a: false } },
      /"a" at/,
    ],
  ])("is refused if it uses what draft-07 lacks: %s", (_, schema, message) => {
    expect(compileDeclared({ value: schema }).error).toBeUndefined();
    expect(() => converted(schema)).toThrow(message);
    expect(() => converted(schema)).toThrow(TypeError);
  });

  it("can be converted from 2019-09, but not from older drafts", () => {
    const items = [{ type: "string" }];
    const $schema = "https://json-schema.org/draft/2019-09/schema";
    expect(converted({ $schema, items, additionalItems: false })).toEqual({
      $schema: DRAFT_07,
      items,
      additionalItems: false,
    });
    const old = { $schema: "http://json-schema.org/draft-04/schema#" };
    expect(() => converted(old)).toThrow(/draft-04 cannot be written as draft-07/);
  });

  it("accepts the same values, for any schema", () => {
    const schemas = jsonSchema({ proto: true, unevaluated: false, full: true });
    let judged = 0;
    fc.assert(
      fc.property(
        schemas,
        fc.array(jsonValue, { minLength: 3, maxLength: 6 }),
        (schema, values) => {
          const author = compileDeclared({ value: schema });
          let made: Record<string, unknown>;
          try {
            made = given(author);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
            return;
          }
          const other = compileDeclared({ value: made });
          expect(other).toMatchObject({ dialect: schema === false ? "2020-12" : "draft-07" });
          for (const value of values) {
            const checks = [author, other].map((each) => each.validate(value));
            if (checks.some(({ outcome }) => outcome === "budget")) continue;
            expect(checks[1]?.valid).toBe(checks[0]?.valid);
            judged++;
          }
        },
      ),
      { numRuns: sample(75, 300) },
    );
    expect(judged).toBeGreaterThan(sample(50, 300));
  });
});
