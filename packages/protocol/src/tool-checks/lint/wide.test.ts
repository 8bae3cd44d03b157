import { describe, expect, it } from "vitest";
import { eachOf } from "../../../../core/src/testing/sample.ts";
import { randomFrom, sampleInstance } from "../../inclusion/sample.ts";
import { lintTools } from "./lint-tools.ts";
import { lintFor } from "./providers/lint-for.ts";
import { PROVIDERS } from "./providers/provider.ts";
import { subschemasOf } from "./walk.ts";

/** More items than a function call accepts as arguments. */
const MANY = 200_000;
const many = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i));
const names = many((i) => `p${i}`);

const schemas: Readonly<Record<string, object>> = {
  properties: { properties: Object.fromEntries(names.map((name) => [name, {}])) },
  required: { required: names, allOf: [{ required: names }] },
  allOf: { allOf: many((i) => ({ required: [`p${i}`] })) },
  anyOf: { anyOf: many((i) => ({ const: i })) },
};

describe("a schema with two hundred thousand members", () => {
  eachOf(Object.keys(schemas), 0)("can be linted, and an instance generated: %s", (keyword) => {
    const inputSchema = { type: "object", ...schemas[keyword] };
    const found = lintTools([{ name: "wide", inputSchema }], { maxFindings: 10 });
    expect(found.every(({ tool }) => tool === "wide")).toBe(true);
    expect(sampleInstance(inputSchema, randomFrom(1)).value).toBeDefined();
  });
});

it("the first twenty thousand parts of a schema are found in text order", () => {
  const inner = { properties: Object.fromEntries(names.slice(0, 100).map((name) => [name, {}])) };
  const schema = { items: inner, properties: {}, allOf: many((i) => (i < 300 ? inner : true)) };
  const paths = (part: object, path: string): string[] => [
    path,
    ...Object.entries(part).flatMap(([keyword, held]) => {
      if (keyword === "items") return paths(held, `${path}/items`);
      return Object.entries(held as object).flatMap(([name, below]) =>
        below === true ? [] : paths(below, `${path}/${keyword}/${name}`),
      );
    }),
  ];
  const found = subschemasOf(schema, "").map(({ path }) => path);
  expect(found).toEqual(paths(schema, "").slice(0, 20_000));
  expect(found).toHaveLength(20_000);
});

it("a schema of fifty thousand levels is checked down to the maximum depth", () => {
  let inputSchema: object = { type: "object" };
  for (let i = 0; i < 50_000; i++) inputSchema = { type: "object", properties: { a: inputSchema } };
  const found = lintFor([{ name: "deep", inputSchema }], PROVIDERS);
  expect(found.find(({ rule }) => rule === "nesting")?.message).toMatch(/there are at least 257$/);
});
