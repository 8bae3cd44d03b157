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
    ["children behind branches", { anyOf: [child, { ...child, minProperties: 1 }] }],
    ["children behind a dependency", { ...child, dependentSchemas: { a: child } }],
    ["children behind a condition", { if: child, else: child }],
  ])("has no bound for %s", (_name, schema) => {
    expect(cost(schema)).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts what meets on one place together", () => {
    const long = { enum: Array.from({ length: 100 }, (_, i) => `v${i}`) };
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
