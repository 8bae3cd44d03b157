import { describe, expect, it } from "vitest";
import { testContext } from "../engine/testing/context.ts";
import { explain, isValid } from "../engine/testing/interpret.ts";
import { parseDecimal } from "../json/decimal.ts";
import { decimalsOf, type ExactDecimals, restoreNumberTypes } from "../json/exact.ts";
import { scanJson } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

function read(text: string): { value: unknown; decimals: ExactDecimals } {
  const scan = scanJson(encodeUtf8(text), { numbers: true });
  const decimals = decimalsOf(scan.lossyNumbers);
  return { value: restoreNumberTypes(JSON.parse(text), decimals), decimals };
}

function graphOf(keywords: Omit<SchemaNode, "id" | "origin">): SchemaGraph {
  const root: SchemaNode = { id: 0, origin: "#", ...keywords };
  const nodes = [root, ...[root.items, root.properties?.get("a/b"), root.contains]];
  return {
    root,
    nodes: nodes.filter((node) => node !== undefined),
    lossy: true,
    unknownFormats: new Map(),
  };
}

const number = (text: string) => ({ value: Number(text), exact: parseDecimal(text) });
const BIG = "9007199254740993";
const integer: SchemaNode = { id: 1, origin: "#/items", type: ["integer"] };

type Case = readonly [
  name: string,
  schema: Omit<SchemaNode, "id" | "origin">,
  value: string,
  valid: boolean,
];

const CASES: readonly Case[] = [
  ["no integer", { type: ["integer"] }, `${BIG}.5`, false],
  ["a number", { type: ["number"] }, `${BIG}.5`, true],
  ["an integer beyond doubles", { type: ["integer"] }, "1e400", true],
  ["too small for a double", { type: ["integer"] }, "1e-400", false],
  ["in an array", { items: integer }, `[1,${BIG}.5]`, false],
  ["in an object", { properties: new Map([["a/b", integer]]) }, `{"a/b":${BIG}.5}`, false],
  ["contained", { contains: integer }, `[${BIG}.5,0.5]`, false],
  ["over a maximum", { maximum: { value: 2 ** 53 } }, BIG, false],
  ["at an exact maximum", { maximum: number(BIG) }, BIG, true],
  ["under an exact maximum", { maximum: number(BIG) }, "9007199254740992", true],
  ["at an exclusive maximum", { exclusiveMaximum: number(BIG) }, BIG, false],
  ["under an exclusive maximum", { exclusiveMaximum: number(BIG) }, "9007199254740992", true],
  ["under a minimum", { minimum: number("-9223372036854775808") }, "-9223372036854775809", false],
  ["over an exclusive minimum", { exclusiveMinimum: { value: 0 } }, "1e-400", true],
  ["under a huge maximum", { maximum: number("1e400") }, "1e399", true],
  ["over a huge maximum", { maximum: number("1e400") }, "1e401", false],
  ["a multiple", { multipleOf: { value: 0.01 } }, "12345678901234567890.12", true],
  ["no multiple", { multipleOf: { value: 0.01 } }, "12345678901234567890.123", false],
  ["a multiple of a big one", { multipleOf: number(BIG) }, "18014398509481986", true],
  ["no multiple of a big one", { multipleOf: number(BIG) }, "18014398509481984", false],
  ["a huge multiple", { multipleOf: { value: 7 } }, "7e999999999", true],
  ["no huge multiple", { multipleOf: { value: 7 } }, "1e999999999", false],
  ["not the constant's double", { const: { value: 2 ** 53 } }, BIG, false],
  ["the exact constant", { const: { value: 2 ** 53, decimals: read(BIG).decimals } }, BIG, true],
  [
    "the exact constant's double",
    { const: { value: 2 ** 53, decimals: read(BIG).decimals } },
    "9007199254740992",
    false,
  ],
  ["the constant otherwise written", { const: read("1e400") }, "10e399", true],
  ["a constant in a container", { const: read(`{"a":[${BIG},1]}`) }, `{"a":[${BIG},1.0]}`, true],
  [
    "another in a container",
    { const: read(`{"a":[${BIG},1]}`) },
    '{"a":[9007199254740992,1]}',
    false,
  ],
  ["one of the enum", { enum: [{ value: 1 }, read(BIG)] }, BIG, true],
  ["none of the enum", { enum: [{ value: 2 ** 53 }, read(`${BIG}.5`)] }, BIG, false],
  ["unique", { uniqueItems: true }, `[${BIG},9007199254740992]`, true],
  ["not unique", { uniqueItems: true }, `[${BIG},${BIG}]`, false],
  ["unique objects", { uniqueItems: true }, `[{"a":${BIG}},{"a":9007199254740992}]`, true],
  ["not unique, otherwise written", { uniqueItems: true }, "[1e400,1,10e399]", false],
];

describe("numbers that no double can hold", () => {
  it.each(CASES)("%s", (_name, schema, text, valid) => {
    const graph = graphOf(schema);
    const { value, decimals } = read(text);
    expect(isValid(graph, value, testContext(10_000, decimals))).toBe(valid);
    const explained = explain(graph, value, testContext(10_000, decimals), { maxIssues: 9 });
    expect(explained.total > 0).toBe(!valid);
  });

  it("are reported with their paths", () => {
    const { value, decimals } = read(`[1,${BIG}.5]`);
    const context = testContext(1000, decimals);
    expect(explain(graphOf({ items: integer }), value, context, { maxIssues: 9 })).toMatchObject({
      errors: [{ instancePath: "/1", message: "must be integer" }],
      total: 1,
      counts: { type: 1 },
    });
  });
});

describe("numbers in memory that JSON cannot write have no type", () => {
  it.each([
    [Number.POSITIVE_INFINITY, { maximum: number("1e400") }, true],
    [Number.NEGATIVE_INFINITY, { minimum: number("1e400") }, true],
    [1, { maximum: { value: Number.POSITIVE_INFINITY } }, true],
    [Number.NaN, { maximum: { value: 1 } }, true],
    [Number.NaN, { type: ["integer"] }, false],
    [Number.POSITIVE_INFINITY, { type: ["number"] }, false],
    [Number.POSITIVE_INFINITY, { multipleOf: { value: 1 } }, true],
  ] as const)("%s", (value, schema, valid) => {
    expect(isValid(graphOf(schema), value, testContext())).toBe(valid);
  });
});
