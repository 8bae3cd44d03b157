import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema, isObject, type JsonObject } from "@touchstone/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { lintFor } from "../providers/lint-for.ts";
import { PROVIDERS } from "../providers/provider.ts";
import { rewriteSchema } from "./rewrite-schema.ts";
import { randomFrom, sampleInstance } from "./sample.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("rewriteSchema", () => {
  /** Schemas with much that providers refuse. */
  const schemas = fc.letrec<{ leaf: JsonObject; tree: JsonObject }>((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom<JsonObject>(
        {},
        { const: "x" },
        { const: 1 },
        { enum: ["a", "b"] },
        { enum: [1, "a", null] },
        { type: ["string", "null"], minLength: 1, enum: ["", "a", null] },
        { type: ["integer", "boolean"], exclusiveMinimum: 1 },
        { type: ["array", "object"], minItems: 1, required: ["k"] },
        { type: "integer", exclusiveMaximum: 3, maximum: 1 },
        { type: "array", uniqueItems: false },
        { type: "number", required: ["a"], properties: {} },
        { $ref: "#/$defs/shared" },
      ),
    ),
    tree: fc.oneof(
      { depthSize: "small" },
      tie("leaf"),
      fc.record({ type: fc.constant("array"), items: tie("tree") }),
      fc
        .tuple(
          tie("tree"),
          tie("tree"),
          fc.subarray(["a", "b"]),
          fc.constantFrom({}, { additionalProperties: true }, { additionalProperties: false }),
        )
        .map(([a, b, required, more]) => object({ a, b }, { required, ...more })),
      fc.tuple(tie("tree"), tie("tree")).map((oneOf) => ({ oneOf })),
      fc.tuple(tie("tree"), tie("tree")).map((anyOf) => ({ anyOf })),
      fc
        .tuple(tie("tree"), fc.constantFrom({ required: ["a"] }, object({ c: { const: "x" } })))
        .map((allOf) => ({ allOf })),
    ),
  })).tree;

  it("keeps every verdict, also on values that it did not try", () => {
    const values = fc.array(
      fc.jsonValue({ maxDepth: 2 }).map((value) => ({ a: value, k: "x" })),
      { minLength: 20, maxLength: 20 },
    );
    fc.assert(
      fc.property(schemas, values, (tree, tried) => {
        const schema = object({ a: tree }, { $defs: { shared: { type: "string", maxLength: 1 } } });
        const made = rewriteSchema(schema, ["gemini", "openai-strict"]);
        expect(made.refused).toEqual([]);
        const before = compileSchema({ value: schema });
        const after = compileSchema({ value: made.schema });
        for (const value of tried) expect(after.isValid(value)).toBe(before.isValid(value));
      }),
      { numRuns: sample(50, 150) },
    );
  }, 60_000);

  /** Parts that only older dialects have, or have in another form. */
  const old = fc.oneof(
    schemas,
    fc.constantFrom<JsonObject>(
      { type: "array", items: [{ type: "string" }, { const: 1 }], additionalItems: false },
      { items: [], additionalItems: { type: "integer" } },
      { type: "number", minimum: 1, exclusiveMinimum: 2 },
      object({ a: {}, b: {} }, { dependencies: { a: ["b"], b: { required: ["a"] } } }),
      { $ref: "#/definitions/shared", minLength: 3 },
      { contains: { type: "integer" }, propertyNames: { maxLength: 1 } },
      { if: { type: "string" }, else: { type: "integer" } },
    ),
  );
  const dialects = fc.constantFrom(
    undefined,
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
  );
  // 500 schemas of 200 values each make the 100,000 of the whole suite.
  it("accepts the same values as before for all providers, whatever the dialect", () => {
    const takers = fc.subarray([...PROVIDERS], { minLength: 1 });
    let accepted = 0;
    fc.assert(
      fc.property(old, old, dialects, takers, fc.integer(), (a, b, $schema, names, seed) => {
        const shared = { type: "string", maxLength: 1 };
        const schema = object(
          { a, b },
          {
            $defs: { shared },
            definitions: { shared },
            ...($schema === undefined ? {} : { $schema }),
          },
        );
        const before = compileSchema({ value: schema });
        const ofArguments = seed % 2 === 0;
        const made = rewriteSchema(schema, names, { ofArguments });
        const after = compileSchema({ value: made.schema });
        expect(after.fault).toEqual(before.fault);
        const random = randomFrom(seed);
        for (let i = 0; i < 200; i += 1) {
          const { value } = sampleInstance(i % 2 === 0 ? schema : made.schema, random);
          if (ofArguments && !isObject(value)) continue;
          const valid = before.isValid(value);
          if (after.isValid(value) !== valid) expect([value, made.schema]).toBe(valid);
          accepted += Number(valid);
        }
      }),
      { numRuns: sample(20, 60, 500) },
    );
    expect(accepted).toBeGreaterThan(0);
  }, 300_000);

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)(
    "mends most of what Gemini refuses in published servers",
    () => {
      let [before, after] = [0, 0];
      for (const file of readdirSync(folder ?? "")) {
        const { tools } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
        const errors = (list: unknown[]): number =>
          lintFor(list, ["gemini"]).filter(({ severity }) => severity === "error").length;
        const rewritten = tools.map((tool: { inputSchema: JsonObject }) => {
          const made = rewriteSchema(tool.inputSchema, ["gemini"]);
          expect(made.refused).toEqual([]);
          return { ...tool, inputSchema: made.schema };
        });
        before += errors(tools);
        after += errors(rewritten);
      }
      expect(after).toBeLessThan(before / 4);
    },
    60_000,
  );
});

describe("lintFor and rewriteSchema", () => {
  it("never throw", () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const keyword = fc.constantFrom(
      ..."type properties items allOf oneOf anyOf $ref required enum const additionalProperties $defs $schema".split(
        " ",
      ),
    );
    const odd = fc.dictionary(keyword, fc.oneof(json, fc.dictionary(keyword, json)));
    fc.assert(
      fc.property(odd, json, (schema, other) => {
        expect(
          Array.isArray(lintFor([other, { name: other, inputSchema: schema }], PROVIDERS)),
        ).toBe(true);
        expect(rewriteSchema(schema, PROVIDERS)).toHaveProperty("schema");
      }),
    );
  });
});
