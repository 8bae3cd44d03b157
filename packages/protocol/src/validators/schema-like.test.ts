import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemasIn } from "./examples.ts";
import { looksLikeSchema } from "./schema-like.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

describe("looksLikeSchema", () => {
  it.each<[unknown]>([
    [{ $schema: DIALECT }],
    [{ $schema: "http://json-schema.org/draft-9/schema#", title: 5 }],
    [{ type: "object", properties: { city: { type: "strng" } } }],
    [{ type: "object", properties: ["city"] }],
    [{ type: "object", required: "city" }],
    [{ type: "obejct", properties: { city: { type: "string" } } }],
    [{ type: 5, properties: { city: { type: "string" } } }],
    [{ type: "strng" }],
    [{ type: "String", description: "The city" }],
    [{ type: ["string", "nul"] }],
    [{ type: "number", minimum: "1" }],
    [{ type: "str", maxLength: 5 }],
    [{ type: "array", items: "string" }],
    [{ properties: { city: { type: "strng" } }, required: "x" }],
    [{ properties: { city: "string", count: "int" } }],
    [{ properties: { a: { properties: { b: { enum: [1, 1] } } } } }],
    [{ $ref: "#/$defs/none" }],
    [{ $ref: "#/$defs/a", $defs: { b: {} } }],
    [{ anyOf: [{ type: "strng" }, { type: "null" }] }],
    [{ anyOf: { type: "string" } }],
    [{ oneOf: [{ required: ["a"] }, { $ref: "#/definitions/a" }] }],
    [{ $defs: { a: { type: "strng" } } }],
    [{ items: { type: "strng" } }],
    [{ type: "object", "x-own": 1, nullable: true, proprties: {}, required: {} }],
    [{ type: "object", ours: 1, properties: { a: { type: "strng" } } }],
  ])("is true for %j", (schema) => {
    expect(looksLikeSchema(schema)).toBe(true);
  });

  it.each<[unknown]>([
    [{ city: "Oslo", days: 3 }],
    [{ type: "object", id: 1 }],
    [{ type: "text", text: "sunny" }],
    [{ type: "string", value: "x" }],
    [{ type: "Feature", geometry: { type: "Point" }, properties: { name: "Oslo" } }],
    [{ type: "Feature", geometry: null, properties: { style: { type: "string" } } }],
    [{ type: "FeatureCollection", features: [] }],
    [{ name: "city", type: "string", required: true }],
    [{ type: "number", label: "Age", required: true, minimum: "low" }],
    [{ type: "array", items: [1, 2], total: 2 }],
    [{ items: [{ name: "a" }, { name: "b" }] }],
    [{ items: [{ type: "text" }] }],
    [{ title: "Dune", description: "A book", examples: 5 }],
    [{ properties: { color: "red", size: 5 } }],
    [{ properties: { Status: { type: "select", options: [] } } }],
    [{ parent: { id: 1 }, properties: { Name: { type: "number" } } }],
    [{ required: "x" }],
    [{ $schema: "./package.schema.json", name: "a", dependencies: { b: "1" } }],
    [{ type: "member", format: 5 }],
    [{ $ref: 5 }],
    [{ anyOf: [1, 2] }],
    [{ not: true, if: "x" }],
    [[{ type: "object", properties: {} }]],
    ["string"],
    [null],
  ])("is false for %j", (value) => {
    expect(looksLikeSchema(value)).toBe(false);
  });

  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const leaf = fc.constantFrom<object>(
    { type: "string" },
    { type: "integer", minimum: 0 },
    { enum: ["a", "b"] },
    { type: ["string", "null"], description: "Some text" },
  );
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie("schema").map((items) => ({ type: "array", items })),
      fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc
        .dictionary(name, tie("schema"), { minKeys: 1, maxKeys: 4 })
        .map((properties) => ({ type: "object", properties })),
    ),
  }));
  const broken = fc.constantFrom<object>(
    { type: "strng" },
    { type: "object", required: "x" },
    { type: "integer", minimum: "0" },
    { enum: [1], type: 7 },
    { $ref: "#/$defs/none" },
  );

  it("finds a broken part anywhere in a schema", () => {
    fc.assert(
      fc.property(fc.array(schema, { maxLength: 2 }), broken, name, (around, part, key) => {
        const inner = { anyOf: [...around, part] };
        const whole = { type: "object", properties: { [key]: { type: "array", items: inner } } };
        for (const example of [
          part,
          inner,
          whole,
          { tools: [{ name: key, inputSchema: whole }] },
        ]) {
          const faults = schemasIn(example).map(([, value]) => compileDeclared({ value }).error);
          expect(faults).toEqual([expect.objectContaining({ message: expect.any(String) })]);
        }
      }),
    );
  });

  it("reports no fault for valid schemas or for values", () => {
    const other = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 });
    fc.assert(
      fc.property(schema, other, (sound, value) => {
        for (const example of [sound, value, [value], { result: value }]) {
          for (const [, found] of schemasIn(example)) {
            expect(compileDeclared({ value: found }).error).toBeUndefined();
          }
        }
      }),
    );
  });
});

describe("schemasIn", () => {
  const bad = { type: "object", properties: { a: { type: "strng" } } };
  it.each<[unknown, readonly string[]]>([
    [bad, [""]],
    [
      [bad, { city: "Oslo" }, bad],
      ["/0", "/2"],
    ],
    [[{ name: "a", inputSchema: {}, outputSchema: 5 }], ["/0/inputSchema", "/0/outputSchema"]],
    [{ result: { tools: [{ inputSchema: bad }] } }, ["/result/tools/0/inputSchema"]],
    [{ params: { requestedSchema: bad } }, ["/params/requestedSchema"]],
    [{ function: { name: "a", parameters: bad } }, ["/function/parameters"]],
    [{ name: "a", input_schema: bad }, ["/input_schema"]],
    [{ parameters: { city: "Oslo" } }, []],
    [{ params: { name: "a", arguments: { inputSchema: "x" } } }, []],
    [{ structuredContent: { inputSchema: 5 } }, []],
    [{ components: { schemas: { Pet: { $ref: "#/components/schemas/Cat" } } } }, []],
  ])("finds the schemas in %j", (example, expected) => {
    expect(schemasIn(example).map(([pointer]) => pointer)).toEqual(expected);
  });
});
