import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileDeclared, isObject, type JsonObject, repairText } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long, sample } from "../../../../core/src/testing/sample.ts";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { randomFrom, sampleInstance } from "../../inclusion/sample.ts";
import { lintFor } from "../lint/providers/lint-for.ts";
import { PROVIDERS } from "../lint/providers/provider.ts";
import { rewriteSchema } from "./rewrite-schema.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("rewriteSchema", () => {
  /** Schemas with many things that providers refuse. */
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

  it("gives the same results, even for values that it did not try", () => {
    const values = fc.array(
      fc.jsonValue({ maxDepth: 2 }).map((value) => ({ a: value, k: "x" })),
      { minLength: 20, maxLength: 20 },
    );
    fc.assert(
      fc.property(schemas, values, (tree, tried) => {
        const schema = object({ a: tree }, { $defs: { shared: { type: "string", maxLength: 1 } } });
        const made = rewriteSchema(schema, ["gemini-openapi", "openai-strict"]);
        expect(made.refused).toEqual([]);
        const before = compileDeclared({ value: schema });
        const after = compileDeclared({ value: made.schema });
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
  // The whole suite checks 100,000 values: 500 schemas with 200 values each.
  it("accepts the same values as before, for all providers and dialects", () => {
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
        const before = compileDeclared({ value: schema });
        const ofArguments = seed % 2 === 0;
        const made = rewriteSchema(schema, names, { ofArguments });
        const after = compileDeclared({ value: made.schema });
        expect(after.error).toEqual(before.error);
        const random = randomFrom(seed);
        for (let i = 0; i < 200; i += 1) {
          const { value } = sampleInstance(i % 2 === 0 ? schema : made.schema, random);
          if (ofArguments && !isObject(value)) continue;
          const valid = before.isValid(value);
          if (after.isValid(value) !== valid) expect([value, made.schema]).toBe(valid);
          accepted += Number(valid);
        }
      }),
      // In this example, every value is valid, so that some value is accepted however the random schemas turn out.
      { numRuns: sample(20, 60, 500), examples: [[{}, {}, undefined, ["gemini-openapi"], 0]] },
    );
    expect(accepted).toBeGreaterThan(0);
  }, 300_000);

  /** Objects with optional properties of all kinds, which strict mode requires to be closed. */
  const closed = fc.letrec<{ tree: JsonObject }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<JsonObject>(
        {},
        { type: "string", pattern: "^a" },
        { const: "x" },
        { type: "string", const: "x", description: "d" },
        { enum: ["a", 1] },
        { type: "integer", minimum: 1 },
        { type: ["integer", "boolean"], enum: [1, true] },
        { type: ["string", "null"] },
        { enum: ["a", null] },
        { anyOf: [{ type: "string" }, { type: "integer" }], title: "t" },
        { anyOf: [{ type: "null" }, { type: "integer" }] },
        { $ref: "#/$defs/shared", description: "d" },
        { type: "null" },
      ),
      fc.record({ type: fc.constant("array"), items: tie("tree") }),
      fc
        .tuple(tie("tree"), tie("tree"), fc.subarray(["a", "b"]))
        .map(([a, b, required]) => object({ a, b }, { required, additionalProperties: false })),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
        anyOf: [object({ a }, { required: ["a"] }), { type: "array", items: b }],
      })),
    ),
  })).tree;

  /** Returns the value with null for each missing property, in objects that are certainly present. */
  function filled(schema: unknown, value: unknown): unknown {
    if (!isObject(schema) || schema["anyOf"] !== undefined) return value;
    if (Array.isArray(value)) return value.map((item) => filled(schema["items"], item));
    if (!isObject(value) || !isObject(schema["properties"])) return value;
    const members = Object.entries(schema["properties"]).map(([name, held]) => [
      name,
      Object.hasOwn(value, name) ? filled(held, value[name]) : null,
    ]);
    return { ...value, ...Object.fromEntries(members) };
  }

  /** Returns whether one value equals the other without some members that are null. */
  function lacksNulls(value: unknown, without: unknown): boolean {
    if (Array.isArray(value)) {
      return (
        Array.isArray(without) &&
        value.length === without.length &&
        value.every((item, i) => lacksNulls(item, without[i]))
      );
    }
    if (!isObject(value)) return value === without;
    if (!isObject(without)) return false;
    const isKept = Object.keys(without).every((name) => Object.hasOwn(value, name));
    return (
      isKept &&
      Object.entries(value).every(([name, held]) =>
        Object.hasOwn(without, name) ? lacksNulls(held, without[name]) : held === null,
      )
    );
  }

  // This test checks another 100,000 values in the whole suite.
  it("accepts the same values once nulls are removed that the schema refuses", {
    ...long,
    timeout: 600_000,
  }, () => {
    const takers = fc.constantFrom(["openai-strict"] as const, PROVIDERS);
    const counts = { taken: 0, dropped: 0, filled: 0 };
    fc.assert(
      fc.property(closed, closed, takers, fc.integer(), (a, b, names, seed) => {
        const shared = object({ s: { type: "string" } }, { additionalProperties: false });
        const schema = object(
          { a, b, c: { type: "number" } },
          { required: ["a"], additionalProperties: false, $defs: { shared } },
        );
        const made = rewriteSchema(schema, names, { ofArguments: true, dropsNulls: true });
        const isDone = made.changes.some(({ did }) => did.includes("may be null"));
        counts.taken += Number(isDone);
        const before = compileDeclared({ value: schema });
        const after = compileDeclared({ value: made.schema });
        const random = randomFrom(seed);
        for (let i = 0; i < 100; i += 1) {
          const { value } = sampleInstance(i % 2 === 0 ? schema : made.schema, random);
          const told = [value, made.schema, schema];
          if (before.isValid(value)) {
            // Skips schemas with branches, because {@link filled} does not fill in properties of branches.
            if (/"(?:anyOf|\$ref)"/.test(JSON.stringify([a, b]))) continue;
            const sent = isDone ? filled(schema, value) : value;
            if (!after.isValid(sent)) expect([sent, ...told]).toBe("valid");
            counts.filled += 1;
          } else if (after.isValid(value)) {
            const check = before.validate(value);
            const bytes = new TextEncoder().encode(JSON.stringify(value));
            const repair = ["drop-nulls"] as const;
            const dropped = repairText({ schema: before, declared: schema, bytes, check, repair });
            if (dropped === undefined) expect(told).toBe("without nulls");
            const without: unknown = JSON.parse(new TextDecoder().decode(dropped?.bytes));
            if (!lacksNulls(value, without)) expect([without, ...told]).toBe("the rest");
            counts.dropped += 1;
          }
        }
      }),
      { numRuns: sample(20, 60, 500) },
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)(
    "fixes most of what Gemini refuses in published servers",
    { ...long, timeout: 60_000 },
    () => {
      let [before, after] = [0, 0];
      for (const file of readdirSync(folder ?? "")) {
        const { tools } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
        const errors = (list: unknown[]): number =>
          lintFor(list, ["gemini-openapi"]).filter(({ severity }) => severity === "error").length;
        const rewritten = tools.map((tool: { inputSchema: JsonObject }) => {
          const made = rewriteSchema(tool.inputSchema, ["gemini-openapi"]);
          expect(made.refused).toEqual([]);
          return { ...tool, inputSchema: made.schema };
        });
        before += errors(tools);
        after += errors(rewritten);
      }
      expect(after).toBeLessThan(before / 4);
    },
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
