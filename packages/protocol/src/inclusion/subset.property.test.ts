import { compileDeclared, isObject, type JsonObject } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allErrorsOf } from "../../../core/src/engine/testing/ajv.ts";
import { jsonSchema, jsonValue } from "../../../core/src/engine/testing/arbitrary.ts";
import { sample } from "../../../core/src/testing/sample.ts";
import { BoundedWork } from "../bounded-work.ts";
import { findCounterexample, withoutUndeclared } from "./counterexample.ts";
import { randomFrom, sampleInstance } from "./sample.ts";
import { proveSubset } from "./subset.ts";

/** How many values are checked with each pair of schemas. */
const VALUES = 100;
/** Keywords that a change may add to a schema. */
const ADDED: readonly JsonObject[] = [
  { type: "object" },
  { type: ["string", "null", "integer"] },
  { type: "number" },
  { minimum: 1 },
  { exclusiveMaximum: 2 },
  { multipleOf: 2 },
  { maxLength: 1 },
  { minItems: 1 },
  { required: ["a"] },
  { properties: { a: { type: "string" } } },
  { additionalProperties: false },
  { patternProperties: { "^a": { type: "integer" } } },
  { propertyNames: { pattern: "^[a-c]+$" } },
  { items: { type: "string" } },
  { prefixItems: [{ type: "string" }, {}] },
  { enum: ["a", 1, null] },
  { anyOf: [{ type: "string" }, { type: "integer" }] },
  { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
  JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}'),
  { dependentRequired: { a: ["b"] } },
  { unevaluatedProperties: false },
  { not: { const: "a" } },
];

/** Returns a schema that differs from another in a few places. */
function changed(schema: JsonObject, random: () => number): JsonObject {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      if (value.length > 1 && random() < 0.2) return value.filter((_, at) => at !== 0);
      return value.map(change);
    }
    if (typeof value === "number" && random() < 0.3) return value + pick([1, -1]);
    if (typeof value === "boolean" && random() < 0.1) return !value;
    if (!isObject(value)) return value;
    const entries = Object.entries(value).filter(() => random() > 0.06);
    const into = Object.fromEntries(entries.map(([name, below]) => [name, change(below)]));
    return random() < 0.12 ? { ...into, ...pick(ADDED) } : into;
  };
  const { $defs, ...rest } = schema;
  const made = change(rest);
  return { ...(isObject(made) ? made : {}), $defs: random() < 0.3 ? change($defs) : $defs };
}

const seed = fc.integer({ min: 0, max: 2 ** 31 });
const schemas = jsonSchema({ proto: false, unevaluated: true, full: true }).map(
  (schema) => schema as JsonObject,
);
const pairs = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(schemas, seed).map(([one, from]) => [one, changed(one, randomFrom(from))]),
  },
  { weight: 1, arbitrary: fc.tuple(schemas, schemas) },
);

/** Returns the verdict of another engine, Ajv; undefined if it has none, or is known to differ. */
function isValidByAjv(schema: JsonObject, value: unknown): boolean | undefined {
  if (JSON.stringify(schema).includes('"unevaluated')) return undefined;
  try {
    return allErrorsOf(schema)(value).length === 0;
  } catch (thrown) {
    // Endless references exhaust Ajv's stack, and its code for `patternProperties` may throw.
    if (thrown instanceof RangeError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

/** How often each result occurred. */
const seen = { all: 0, declared: 0, breaking: 0, foreign: 0, values: 0 };

function holds(
  first: JsonObject,
  second: JsonObject,
  values: readonly unknown[],
  from: number,
): void {
  const [a, b] = [compileDeclared({ value: first }), compileDeclared({ value: second })];
  if (a.canonical === undefined || b.canonical === undefined) return;
  const proof = proveSubset(a.canonical, b.canonical);
  if (typeof proof === "string") {
    seen[proof] += 1;
    const random = randomFrom(from);
    const made = Array.from({ length: VALUES - values.length }, (_, at) =>
      at % 2 === 0
        ? sampleInstance(a.canonical ?? {}, random, b.canonical)
        : sampleInstance(b.canonical ?? {}, random, a.canonical),
    );
    for (const whole of [...values, ...made.map(({ value }) => value)]) {
      const value: unknown =
        proof === "all"
          ? whole
          : withoutUndeclared(
              whole,
              a.canonical,
              b.canonical,
              new BoundedWork(Number.POSITIVE_INFINITY),
            );
      if (!a.isValid(value)) continue;
      seen.values += 1;
      if (b.validate(value).outcome !== "violation") continue;
      expect.fail(`${proof}: ${JSON.stringify([first, second, value])}`);
    }
  }
  const { counterexample } = findCounterexample(a, b, { samples: VALUES });
  if (counterexample === undefined) return;
  seen.breaking += 1;
  expect(proof).toEqual({ pointer: expect.any(String) });
  const { value, text, issues } = counterexample;
  expect(JSON.parse(text)).toEqual(value);
  expect(issues.length).toBeGreaterThan(0);
  expect([a.validateText(text).outcome, b.validateText(text).outcome]).toEqual([
    "pass",
    "violation",
  ]);
  const foreign = [first, second].map((schema) => isValidByAjv(schema, value));
  if (foreign.includes(undefined)) return;
  seen.foreign += 1;
  expect(foreign).toEqual([true, false]);
}

describe("proveSubset and findCounterexample", () => {
  it("treat a member that another branch may mention as declared", () => {
    const below = { unevaluatedProperties: false };
    const first: JsonObject = { if: { allOf: [{ if: false, ...below }], unevaluatedItems: false } };
    const second: JsonObject = { ...first, properties: { a: { type: "string" } } };
    holds(first, second, [{ a: [null] }, { a: 1 }, {}], 0);
    expect(proveSubset(first, second)).toEqual({ pointer: "/properties/a/type" });
  });

  it(
    "prove nothing false, and show only real counterexamples",
    () => {
      fc.assert(
        fc.property(
          pairs,
          fc.array(jsonValue, { minLength: 20, maxLength: 20 }),
          seed,
          (pair, values, from) => {
            const [first, second] = pair as [JsonObject, JsonObject];
            holds(first, second, values, from);
          },
        ),
        { numRuns: sample(50, 300, 10_000) },
      );
      if (process.env["TOUCHSTONE_SAMPLE"] === "all")
        process.stderr.write(`${JSON.stringify(seen)}\n`);
      // Checks that the test was not empty. Ajv judges only one pair in seventy, which a small sample can miss.
      const wanted = [seen.all, seen.breaking, seen.values, sample(1, 1, seen.foreign)];
      for (const count of wanted) expect(count).toBeGreaterThan(0);
    },
    sample(60_000, 600_000, 7_200_000),
  );
});
