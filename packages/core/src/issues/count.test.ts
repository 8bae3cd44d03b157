import { describe, expect, it } from "vitest";
import { compileSchema } from "../compile.ts";
import type { Rule } from "../result.ts";

const A = { type: "object", required: ["a"] };
const B = { type: "object", required: ["b", "c"] };
const TEXT = { type: "string" };
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
  ["the branch with fewest issues", { anyOf: [B, { type: "null" }] }, {}, { type: 1 }],
  ["a branch whose issues share their class", { anyOf: [B] }, {}, { required: 1 }],
  [
    "a branch whose issues do not",
    { anyOf: [{ required: ["a"], maxProperties: 0 }] },
    { b: 1 },
    { value: 1 },
  ],
  ["the first of equals", { anyOf: [TEXT, A] }, {}, { type: 1 }],
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
    { type: 1 },
  ],
  ["oneOf without a match", { oneOf: [TEXT, B] }, {}, { type: 1 }],
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
    { required: 1, type: 2 },
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

describe("countRules", () => {
  it.each(CASES)("%s", (_name, schema, value, counts) => {
    const check = compileSchema({ value: schema }).checkValue(value);
    expect(check.counts).toEqual(counts);
    expect(JSON.stringify(check)).not.toContain("branchEnds");
  });

  it("counts over all errors, not only those listed", () => {
    const compiled = compileSchema({ value: { items: TEXT } });
    const check = compiled.check(JSON.stringify(Array(5000).fill(0)), { maxIssues: 10 });
    expect(check.errors).toHaveLength(10);
    expect(check.truncated).toBe(4990);
    expect(check.counts).toEqual({ type: 5000 });
  });

  it("keeps the composite's own parameters", () => {
    const check = compileSchema({ value: { oneOf: [{}, { type: "object" }] } }).check("{}");
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
