import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { jsonSchema, jsonValue } from "../../engine/testing/arbitrary.ts";
import type { Rule } from "../../result.ts";
import { sample } from "../../testing/sample.ts";

const A = { type: "object", required: ["a"] };
const B = { type: "object", required: ["b", "c"] };
const TEXT = { type: "string" };
const KIND_B = { properties: { kind: { const: "b" } } };
const IF_REQUIRED = JSON.parse('{"if":true,"then":{"required":["a"]}}');
const DEFS = {
  a: A,
  b: B,
  either: { anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/a" }] },
  text: TEXT,
};

const CASES: readonly (readonly [string, object, unknown, Partial<Record<Rule, number>>])[] = [
  [
    "no composite",
    { required: ["a", "b"], additionalProperties: false },
    { c: 1 },
    { required: 2, extra: 1 },
  ],
  ["the branch with fewest issues", { anyOf: [B, A] }, { b: 1 }, { required: 1 }],
  ["the branch of the right type", { anyOf: [{ type: "null" }, B] }, {}, { required: 1 }],
  ["a branch whose issues share their class", { anyOf: [B] }, {}, { required: 1 }],
  [
    "a branch whose issues do not",
    { anyOf: [{ required: ["a"], maxProperties: 0 }] },
    { b: 1 },
    { value: 1 },
  ],
  ["equals of one class", { anyOf: [TEXT, { type: "null" }] }, {}, { type: 1 }],
  ["equals of several classes", { anyOf: [TEXT, { const: 1 }] }, {}, { value: 1 }],
  [
    "of equals the one that is off further down",
    { anyOf: [{ maxProperties: 0 }, { properties: { a: TEXT } }] },
    { a: 1 },
    { type: 1 },
  ],
  [
    "the branch that a member tells of",
    { anyOf: [{ properties: { kind: { const: "a" } }, required: ["n", "m"] }, KIND_B] },
    { kind: "a" },
    { required: 1 },
  ],
  [
    "the member that is met by no branch",
    { anyOf: [{ properties: { kind: { const: "a" }, n: TEXT } }, KIND_B] },
    { kind: "c", n: 1 },
    { value: 1 },
  ],
  [
    "the member that tells branches apart, where it is missing",
    {
      anyOf: [
        { ...KIND_B, required: ["kind", "n"] },
        { ...KIND_B, required: ["kind"] },
      ],
    },
    {},
    { required: 1 },
  ],
  ["what `then` asks", { anyOf: [IF_REQUIRED, { type: "null" }] }, {}, { value: 1 }],
  [
    "no item of those that `contains` refused",
    { anyOf: [{ contains: TEXT }, { minItems: 4, maxItems: 0 }] },
    [1, 2, 3],
    { value: 1 },
  ],
  [
    "branches behind references",
    { $defs: DEFS, anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/a" }] },
    {},
    { required: 1 },
  ],
  [
    "a composite in a composite counts once in it",
    { $defs: DEFS, anyOf: [{ $ref: "#/$defs/either" }, B] },
    {},
    { required: 1 },
  ],
  [
    "a composite in a composite, other classes",
    { anyOf: [{ required: ["x", "y"] }, { oneOf: [TEXT, { type: "null" }] }] },
    {},
    { required: 1 },
  ],
  ["oneOf without a match", { oneOf: [TEXT, B] }, {}, { required: 1 }],
  ["oneOf with two matches", { oneOf: [{}, { type: "object" }] }, {}, { value: 1 }],
  [
    "oneOf with two matches among others",
    { oneOf: [TEXT, {}, { type: "object" }] },
    {},
    { value: 1 },
  ],
  [
    "issues beside a composite",
    { required: ["z"], anyOf: [TEXT, B], properties: { n: TEXT } },
    { n: 1 },
    { required: 2, type: 1 },
  ],
  [
    "one composite after another",
    { allOf: [{ anyOf: [TEXT] }, { anyOf: [A] }] },
    {},
    { type: 1, required: 1 },
  ],
  [
    "a composite per item",
    { items: { anyOf: [TEXT, { type: "null" }] } },
    [1, 2, "a", 3],
    { type: 3 },
  ],
  ["a branch that is false", { anyOf: [false] }, 1, { value: 1 }],
  [
    "a composite that passes leaves nothing",
    { anyOf: [TEXT, {}], maxProperties: 0 },
    { a: 1 },
    { value: 1 },
  ],
  ["a negated composite", { not: { anyOf: [{}, TEXT] } }, 1, { value: 1 }],
];

/** Returns the schema with the branches of each `anyOf` and `oneOf` in reverse order. */
function turned(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(turned);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).map(([name, member]) => {
    const isTurned = (name === "anyOf" || name === "oneOf") && Array.isArray(member);
    return [name, isTurned ? member.map(turned).reverse() : turned(member)];
  });
  return Object.fromEntries(members);
}

describe("the counts of a check", () => {
  it.each(CASES)("%s", (_name, schema, value, counts) => {
    for (const each of [schema, turned(schema)]) {
      const check = compileDeclared({ value: each }).validate(value);
      expect(check.counts).toEqual(counts);
      expect(JSON.stringify(check)).not.toContain("branchEnds");
    }
  });

  it("do not depend on the order of branches, whatever the schema", () => {
    const schemas = jsonSchema({ proto: false, unevaluated: false, full: true });
    let composites = 0;
    fc.assert(
      fc.property(schemas, jsonValue, (schema, value) => {
        const checks = [schema, turned(schema)].map((each) =>
          compileDeclared({ value: each }).validate(value),
        );
        const [one, other] = checks;
        if (checks.some(({ outcome }) => outcome === "budget")) return;
        expect(other?.counts).toEqual(one?.counts);
        if (one?.errors.some(({ keyword }) => keyword === "anyOf" || keyword === "oneOf"))
          composites++;
      }),
      { numRuns: sample(125, 500) },
    );
    expect(composites).toBeGreaterThan(sample(0, 3));
  });

  it("cover all errors, not only the listed ones", () => {
    const compiled = compileDeclared({ value: { items: TEXT } });
    const check = compiled.validateText(JSON.stringify(Array(5000).fill(0)), { maxIssues: 10 });
    expect(check.errors).toHaveLength(10);
    expect(check.truncated).toBe(4990);
    expect(check.counts).toEqual({ type: 5000 });
  });

  it("leave the parameters of a composite's own issue unchanged", () => {
    const check = compileDeclared({ value: { oneOf: [{}, { type: "object" }] } }).validateText(
      "{}",
    );
    expect(check.errors).toMatchObject([
      {
        keyword: "oneOf",
        message: "must match exactly one schema in oneOf",
        params: { passingSchemas: [0, 1] },
      },
    ]);
    expect(Object.keys(check.errors[0]?.params ?? {})).toEqual(["passingSchemas"]);
  });
});
