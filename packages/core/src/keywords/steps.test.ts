import { describe, expect, it } from "vitest";
import { compiler } from "../engine/compile.ts";
import { Evaluation } from "../engine/engine.ts";
import { formatCheck, numberFormatCheck } from "../engine/format/format.ts";
import { compilePattern } from "../engine/pattern/pattern.ts";
import { Report } from "../engine/report.ts";
import { NO_DECIMALS } from "../json/exact.ts";
import { graphOf } from "../testing/judges.ts";
import { long } from "../testing/sample.ts";
import { KEYWORDS, LAST_KEYWORDS } from "./index.ts";

type Grown = (size: number) => unknown;

const list = (size: number, make: (i: number) => unknown): unknown[] =>
  Array.from({ length: size }, (_, i) => make(i));
const names = (size: number): string[] => Array.from({ length: size }, (_, i) => `k${i}`);
const members = (size: number, value: unknown): object =>
  Object.fromEntries(names(size).map((name) => [name, value]));
const numbers: Grown = (size) => list(size, (i) => i);
const texts: Grown = (size) => list(size, (i) => `text ${i % 10}`);
const object: Grown = (size) => members(size, 1);
/**
 * A string with this many characters and half as many again in code units, so that its characters have to be counted.
 */
const astral: Grown = (size) => "\u{1f600}a".repeat(size / 2);
const each =
  (schema: unknown): Grown =>
  () => ({ items: schema });
const always =
  (schema: unknown): Grown =>
  () =>
    schema;
const number = { type: "number" };

/** For each keyword, a schema and a value of a given size. The larger they are, the more the keyword has to do. */
const ROWS: Readonly<Record<string, readonly (readonly [Grown, Grown])[]>> = {
  type: [[each({ type: ["string", "null"] }), texts]],
  $dynamicRef: [
    [always({ $dynamicAnchor: "n", properties: {}, items: { $dynamicRef: "#n" } }), numbers],
  ],
  $ref: [[always({ items: { $ref: "#/$defs/a", minimum: 0 }, $defs: { a: number } }), numbers]],
  const: [
    [each({ const: [1, { a: "b" }] }), (size) => list(size, () => [1, { a: "b" }])],
    [(size) => ({ const: numbers(size) }), numbers],
  ],
  enum: [
    [each({ enum: ["a", ["b"], { c: 1 }] }), (size) => list(size, (i) => (i % 2 ? "a" : ["b"]))],
    [(size) => ({ enum: [astral(size)] }), astral],
  ],
  not: [[each({ not: { type: "null" } }), numbers]],
  anyOf: [[each({ anyOf: [{ type: "null" }, { const: 1 }, number] }), numbers]],
  oneOf: [[each({ oneOf: [{ type: "null" }, { const: -1 }, number] }), numbers]],
  allOf: [[each({ allOf: [number, { minimum: 0 }] }), numbers]],
  if: [
    [each(JSON.parse('{"if":{"minimum":9},"then":{"minimum":9},"else":{"maximum":9}}')), numbers],
  ],
  maximum: [[each({ maximum: 1e9 }), numbers]],
  minimum: [[each({ minimum: 0 }), numbers]],
  exclusiveMaximum: [[each({ exclusiveMaximum: 1e9 }), numbers]],
  exclusiveMinimum: [[each({ exclusiveMinimum: -1 }), numbers]],
  multipleOf: [[each({ multipleOf: 0.01 }), (size) => list(size, (i) => (i % 1000) / 100)]],
  maxLength: [
    [each({ maxLength: 9 }), texts],
    [(size) => ({ maxLength: size }), astral],
  ],
  minLength: [
    [each({ minLength: 3 }), texts],
    [(size) => ({ minLength: size }), astral],
  ],
  pattern: [
    [each({ pattern: "^[a-z]+ \\d$" }), texts],
    [always({ pattern: "^(?:a|b)*$" }), (size) => "ab".repeat(size)],
    [always({ pattern: "^(?:(?=a)a|b)*$" }), (size) => "ab".repeat(size)],
  ],
  format: [
    [each({ format: "date-time" }), (size) => list(size, () => "2026-01-02T03:04:05Z")],
    [always({ format: "uri" }), (size) => `https://example.com/${"a".repeat(size)}`],
  ],
  within: [
    [each({ within: ["/a"] }), (size) => list(size, (i) => `/a/b/../${i}`)],
    [always({ within: ["/a"] }), (size) => `/a/${"b/".repeat(size)}`],
    [always({ within: ["/a"] }), (size) => list(size, (i) => `/a/${i}`)],
  ],
  hosts: [
    [each({ hosts: ["a.example"] }), (size) => list(size, (i) => `http://a.example/${i}`)],
    [
      each({ hosts: ["a.example"] }),
      (size) => list(size / 20, () => `http://a.example/${"b".repeat(8_000)}`),
    ],
  ],
  maxItems: [[each({ maxItems: 2 }), (size) => list(size, () => [1])]],
  minItems: [[each({ minItems: 1 }), (size) => list(size, () => [1])]],
  prefixItems: [[(size) => ({ prefixItems: list(size, () => number) }), numbers]],
  items: [
    [each(number), numbers],
    [each({ type: "string" }), texts],
  ],
  contains: [[always({ contains: { const: -1 }, minContains: 0, maxContains: 1 }), numbers]],
  uniqueItems: [
    [always({ uniqueItems: true }), numbers],
    [always({ uniqueItems: true }), (size) => list(size, (i) => ({ id: i, name: `n${i}` }))],
  ],
  maxProperties: [[each({ maxProperties: 3 }), (size) => list(size, () => ({ a: 1, b: 2 }))]],
  minProperties: [[each({ minProperties: 1 }), (size) => list(size, () => ({ a: 1, b: 2 }))]],
  required: [[(size) => ({ required: names(size) }), object]],
  propertyNames: [[always({ propertyNames: { maxLength: 9 } }), object]],
  additionalProperties: [[always({ additionalProperties: number }), object]],
  properties: [[(size) => ({ properties: members(size, { minimum: 0 }) }), object]],
  patternProperties: [[always({ patternProperties: { "^k": number, "9$": number } }), object]],
  dependentRequired: [[(size) => ({ dependentRequired: members(size, ["k0"]) }), object]],
  dependentSchemas: [
    [(size) => ({ dependentSchemas: members(size, { minProperties: 1 }) }), object],
  ],
  unevaluatedItems: [[always({ prefixItems: [number], unevaluatedItems: number }), numbers]],
  unevaluatedProperties: [
    [always({ properties: { k0: number }, unevaluatedProperties: number }), object],
  ],
};

const PLENTY = 1e12;
const SMALL = 1_000;
const TIMES = 16;
const compile = compiler({
  format: formatCheck,
  numberFormat: numberFormatCheck,
  pattern: compilePattern,
});

interface Cost {
  readonly steps: number;
  /** Processor time of the fastest of several runs, in microseconds. */
  readonly time: number;
}

/** Returns the cost of checks with and without a report of issues. */
function costOf(schema: unknown, value: unknown, times: number = 8): Cost {
  const { root } = graphOf(JSON.stringify(schema), new Map(), "policy", true);
  const applied = compile(root);
  let steps = 0;
  let time = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const runs = [new Evaluation(PLENTY), new Evaluation(PLENTY, new Report(root, 10))];
    const before = process.cpuUsage();
    for (const run of runs) expect(run.start(applied, value, NO_DECIMALS)).toBe(true);
    const { user, system } = process.cpuUsage(before);
    // The first runs are not counted: they compile the schema, and V8 compiles them.
    if (i > 2) time = Math.min(time, user + system);
    steps = runs.reduce((sum, run) => sum + PLENTY - run.steps, 0);
  }
  return { steps, time };
}

const NAMES = ["type", ...new Set([...KEYWORDS, ...LAST_KEYWORDS].map(({ name }) => name))];

describe("the steps of a keyword", () => {
  it("are measured for each keyword", () => {
    expect(Object.keys(ROWS).toSorted()).toEqual(NAMES.toSorted());
  });

  const rows = Object.entries(ROWS).flatMap(([name, all]) =>
    all.map(([schema, value], i) => [`${name} ${i + 1}`, schema, value] as const),
  );
  it.each(rows)("grow with its input: %s", (_name, schema, value) => {
    const [small, large] = [SMALL, SMALL * TIMES].map((size) =>
      costOf(schema(size), value(size), 1),
    );
    expect((large?.steps ?? 0) / (small?.steps ?? 0)).toBeGreaterThan(TIMES / 4);
  });

  it.each(rows)("grow in proportion to its time: %s", long, (_name, schema, value) => {
    const small = costOf(schema(SMALL), value(SMALL));
    const large = costOf(schema(SMALL * TIMES), value(SMALL * TIMES));
    const steps = large.steps / small.steps;
    // Sixteen times the work may take more than sixteen times as long if memory is slow. Quadratic work that is not
    // counted would take 256 times as long.
    expect(large.time / Math.max(small.time, 20)).toBeLessThan(6 * steps);
  });
});
