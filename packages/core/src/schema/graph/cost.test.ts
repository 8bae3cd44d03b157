import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphOf } from "../../testing/judges.ts";
import { sharedPath } from "../../testing/shared.ts";
import { isValid } from "../interpret/interpret.ts";
import { jsonSchema, jsonValue } from "../interpret/testing/arbitrary.ts";
import { testContext } from "../interpret/testing/context.ts";
import { costPerPlace } from "./cost.ts";

const graph = (schema: unknown) => graphOf(JSON.stringify(schema), new Map(), "2020-12", true);
const cost = (schema: unknown): number => costPerPlace(graph(schema));

const doubling = (depth: number) => ({
  $ref: `#/$defs/d${depth}`,
  $defs: Object.fromEntries([
    ["d0", { type: "number" }],
    ...Array.from({ length: depth }, (_, i) => [
      `d${i + 1}`,
      { anyOf: [{ $ref: `#/$defs/d${i}` }, { $ref: `#/$defs/d${i}` }] },
    ]),
  ]),
});
const child = { properties: { a: { $ref: "#" } } };

/** A schema whose properties are lists of such schemas, judged as often as each is given. */
const alternating = (lists: object[], root: object[]) => ({
  $defs: { list: { allOf: lists } },
  allOf: root,
});
const item = { items: { $ref: "#" } };
const named = { properties: { list: { $ref: "#/$defs/list" } } };

describe("costPerPlace", () => {
  it.each<[string, unknown]>([
    ["a plain object", { properties: { a: { type: "string" }, b: { enum: [1, 2] } } }],
    ["a tree", { properties: { children: { items: { $ref: "#" } } } }],
    ["two kinds of children", { properties: { a: { $ref: "#" }, b: { $ref: "#" } } }],
    ["a list behind a list", { prefixItems: [{ $ref: "#" }], items: { type: "null" } }],
    [
      "a mutual recursion",
      { $defs: { b: { items: { $ref: "#" } } }, properties: { b: { $ref: "#/$defs/b" } } },
    ],
    ["two that alternate", alternating([item], [named])],
    ["a chain that branches a little", doubling(6)],
  ])("is small for %s", (_name, schema) => {
    expect(cost(schema)).toBeLessThan(5_000);
  });

  it.each<[string, unknown]>([
    ["a reference to itself", { $ref: "#" }],
    ["two references to itself", { allOf: [{ $ref: "#" }, { $ref: "#" }] }],
    ["a negation of itself", { not: { $ref: "#" } }],
    ["a chain that doubles", doubling(60)],
    ["children that are judged twice", { allOf: [child, child] }],
    [
      "children that are judged by name and by pattern",
      { ...child, patternProperties: { "^a": { $ref: "#" } } },
    ],
    ["items that are judged twice", { items: { $ref: "#" }, contains: { $ref: "#" } }],
    [
      "items that are judged by position and by all",
      { prefixItems: [{ $ref: "#" }], contains: { $ref: "#" } },
    ],
    ["the second of two that alternate, judged twice", alternating([item, item], [named])],
    ["the first of two that alternate, judged twice", alternating([item], [named, named])],
    ["children behind branches", { anyOf: [child, { ...child, minProperties: 1 }] }],
    ["children behind a dependency", { ...child, dependentSchemas: { a: child } }],
    ["children behind a condition", { if: child, else: child }],
  ])("has no bound for %s", (_name, schema) => {
    expect(cost(schema)).toBe(Number.POSITIVE_INFINITY);
  });

  const hundred = Array.from({ length: 100 }, (_, i) => `v${i}`);
  const each = (value: unknown) => Object.fromEntries(hundred.map((name) => [name, value]));
  it.each<[string, unknown]>([
    ["properties", each(true)],
    ["patternProperties", each(true)],
    ["dependentSchemas", each({ minProperties: 1 })],
    ["dependentRequired", each(["a"])],
    ["prefixItems", hundred.map(() => true)],
    ["required", hundred],
    ["enum", hundred],
  ])("counts the entries of %s", (keyword, entries) => {
    expect(cost({ [keyword]: entries })).toBeGreaterThan(cost({}) + 99);
  });

  it("counts what meets on one place together", () => {
    const long = { enum: hundred };
    const alone = cost({ properties: { a: long } });
    expect(cost({ properties: { a: long }, patternProperties: { a: long } })).toBeGreaterThan(
      alone + 100,
    );
    expect(cost({ properties: { a: long, b: long } })).toBeLessThan(alone + 10);
  });

  it("ends for a long chain of references without a bound", () => {
    const names = Array.from({ length: 6_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]);
    const schema = { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(names), d6000: {} } };
    expect(cost(schema)).toBeGreaterThan(1_000);
  });

  it("bounds what the interpreter takes for a value, whatever the two are", () => {
    const schemas = jsonSchema({ proto: true, unevaluated: false, full: false });
    let bounded = 0;
    fc.assert(
      fc.property(schemas, fc.array(jsonValue, { maxLength: 4 }), (schema, values) => {
        const made = graph(schema);
        const most = costPerPlace(made);
        if (!Number.isFinite(most)) return;
        bounded += 1;
        for (const value of values) {
          const context = testContext();
          const before = context.budget.steps;
          isValid(made, value, context);
          const bytes = JSON.stringify(value).length;
          expect(before - context.budget.steps).toBeLessThanOrEqual(8 * most * (bytes + 1));
        }
      }),
      { numRuns: 300 },
    );
    expect(bounded).toBeGreaterThan(100);
  });

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)("is small for nearly all tools of real servers", () => {
    const schemas = readdirSync(folder ?? "")
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => JSON.parse(readFileSync(join(folder ?? "", name), "utf8")).tools ?? [])
      .flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
      .filter((schema) => schema !== undefined && schema !== null);
    const small = schemas.filter((schema) => cost(schema) < 1_000);
    expect(small.length / schemas.length).toBeGreaterThan(0.95);
  });
});
