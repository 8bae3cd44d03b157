import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { jsonSchema, jsonValue } from "../../engine/testing/arbitrary.ts";
import { sample } from "../../testing/sample.ts";
import { explainCheck } from "./explain.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "integer" };
const DEFS = {
  base: { required: ["a"] },
  x: { allOf: [{ $ref: "#/$defs/base" }, { required: ["x"] }] },
  y: { allOf: [{ $ref: "#/$defs/base" }, { required: ["y", "z"] }] },
  cat: { properties: { kind: { const: "cat" }, lives: NUMBER }, required: ["kind", "lives"] },
  dog: { properties: { kind: { enum: ["dog", "wolf"] } }, required: ["kind"] },
  tree: {
    anyOf: [
      NUMBER,
      { type: "array", items: { $ref: "#/$defs/tree" } },
      { type: "object", required: ["leaf"], properties: { leaf: { $ref: "#/$defs/tree" } } },
    ],
  },
};
const ANIMAL = { oneOf: [{ $ref: "#/$defs/cat" }, { $ref: "#/$defs/dog" }] };

/** Schema, value, and for each fact its kind, its path and the number of issues that it represents. */
const CASES: readonly (readonly [string, object, unknown, readonly (readonly unknown[])[]])[] = [
  ["types of one place", { anyOf: [TEXT, { type: "null" }] }, 1, [["wanted", "", 3]]],
  [
    "piles in piles",
    { anyOf: [{ oneOf: [TEXT, { type: "null" }] }, { type: "array" }] },
    1,
    [["wanted", "", 5]],
  ],
  [
    "constants of one place",
    { anyOf: [{ const: "a" }, { enum: ["b"] }] },
    "c",
    [["wanted", "", 3]],
  ],
  [
    "the branch of the right type",
    { anyOf: [TEXT, { required: ["a"] }] },
    {},
    [["missing", "/a", 3]],
  ],
  ["a met discriminator", ANIMAL, { kind: "cat" }, [["missing", "/lives", 3]]],
  ["an unmet discriminator", ANIMAL, { kind: "cow", lives: "1" }, [["wanted", "/kind", 4]]],
  ["an absent discriminator", ANIMAL, { lives: 1 }, [["missing", "/kind", 3]]],
  [
    "the branch with fewest faults",
    {
      anyOf: [
        { required: ["a", "b"] },
        { required: ["c"], maxProperties: 0 },
        { minProperties: 9 },
      ],
    },
    { d: 1 },
    [["other", "", 6]],
  ],
  [
    "the deepest of equals",
    { anyOf: [{ maxProperties: 0 }, { properties: { a: { maxLength: 1 } } }] },
    { a: "bc" },
    [["other", "/a", 3]],
  ],
  [
    "of equals the one that misses nothing",
    { anyOf: [{ required: ["b"] }, { properties: { a: TEXT }, required: ["a"] }] },
    { a: 1 },
    [["wanted", "/a", 3]],
  ],
  [
    "what is missing further down",
    { anyOf: [{ required: ["b"] }, { properties: { a: { required: ["c"] } } }] },
    { a: {} },
    [["missing", "/a/c", 3]],
  ],
  [
    "branches that share a definition",
    { anyOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }] },
    {},
    [
      ["missing", "/a", 6],
      ["missing", "/x", 0],
    ],
  ],
  [
    "branches that share all their faults",
    { anyOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }] },
    { x: 1, y: 1, z: 1 },
    [["missing", "/a", 3]],
  ],
  [
    "a recursive schema",
    { $ref: "#/$defs/tree" },
    [1, [2, { leaf: ["x"] }]],
    [["wanted", "/1/1/leaf/0", 16]],
  ],
  [
    "piles side by side",
    { properties: { p: ANIMAL, q: ANIMAL } },
    { p: { kind: 1 }, q: { kind: "dog", lives: 1 } },
    [["wanted", "/p/kind", 4]],
  ],
  [
    "one pile behind another at the same place",
    { allOf: [{ anyOf: [{ $ref: "#/$defs/base" }] }, { anyOf: [{ $ref: "#/$defs/x" }] }] },
    {},
    [
      ["missing", "/a", 5],
      ["missing", "/x", 0],
    ],
  ],
  ["too many matches", { oneOf: [TEXT, {}, NUMBER] }, 1, [["ambiguous", "", 2]]],
  [
    "one of several names",
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    [["missing_any", "/a", 3]],
  ],
  [
    "what then asks for",
    JSON.parse('{"if":{},"then":{"required":["a"]}}'),
    {},
    [["missing", "/a", 2]],
  ],
  ["no item of those that contains refused", { contains: TEXT }, [1, 2, 3], [["other", "", 4]]],
  [
    "a name once",
    { propertyNames: { maxLength: 1, pattern: "^a" } },
    { bc: 1 },
    [
      ["name", "/bc", 2],
      ["name", "/bc", 1],
    ],
  ],
  [
    "a name and the one it stands for",
    { properties: { city: {} }, required: ["city"], additionalProperties: false },
    { ctiy: 1 },
    [["rename", "/ctiy", 2]],
  ],
  ["a branch that is false", { anyOf: [false, TEXT] }, 1, [["other", "", 3]]],
];

describe("explainCheck", () => {
  it.each(CASES)("%s", (_name, schema, value, facts) => {
    const compiled = compileDeclared({ value: { $defs: DEFS, ...schema } });
    const check = compiled.validate(value);
    const told = explainCheck(check).map(({ kind, path, issues }) => [kind, path, issues]);
    expect(told).toEqual(facts);
    const other = compiled.validate(value, { paths: "instance" });
    expect(explainCheck(other).map(({ kind, path, issues }) => [kind, path, issues])).toEqual(
      facts,
    );
    expect(check.errors).toHaveLength(told.reduce((sum, [, , size]) => sum + Number(size), 0));
  });

  it("lists the values of all branches of a discriminator", () => {
    const check = compileDeclared({ value: { $defs: DEFS, ...ANIMAL } }).validate({ kind: "x" });
    expect(explainCheck(check)[0]?.wanted).toEqual({ types: [], values: ["cat", "dog", "wolf"] });
  });

  it("names the branches of a oneOf that match", () => {
    const schema = { $defs: DEFS, oneOf: [{ $ref: "#/$defs/base" }, {}] };
    const [fact] = explainCheck(compileDeclared({ value: schema }).validate(1));
    expect(fact?.branches).toEqual(['#0 "base"', "#1"]);
  });

  it("explains each issue on its own if the check was read back from JSON", () => {
    const check = compileDeclared({ value: { anyOf: [TEXT, { type: "null" }] } }).validate(1);
    const copy = JSON.parse(JSON.stringify(check));
    expect(explainCheck(copy).map(({ kind, issues }) => [kind, issues])).toEqual([
      ["wanted", 1],
      ["wanted", 1],
      ["other", 1],
    ]);
  });

  it("does not name an allowed value that no double can hold", () => {
    const schema = compileDeclared({ text: '{"enum":[9007199254740993]}' });
    expect(explainCheck(schema.validateText("1"))[0]).toMatchObject({ kind: "other" });
  });

  it("terminates if the branches all refer to each other", () => {
    const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
    const all = names.map((name) => ({ $ref: `#/$defs/${name}` }));
    const $defs = Object.fromEntries(
      names.map((name) => [name, { required: [name], properties: { next: { anyOf: all } } }]),
    );
    const schema = compileDeclared({ value: { $defs, anyOf: all } });
    const check = schema.validate({ next: { next: { next: {} } } }, { maxIssues: 1000 });
    const facts = explainCheck(check);
    expect(facts.reduce((sum, { issues }) => sum + issues, 0)).toBe(check.errors.length);
  });

  test("accounts for every listed issue, whatever the schema", () => {
    const schemas = jsonSchema({ proto: false, unevaluated: true, full: true });
    let piles = 0;
    fc.assert(
      fc.property(schemas, jsonValue, (schema, value) => {
        const check = compileDeclared({ value: schema }).validate(value);
        const facts = explainCheck(check);
        expect(facts.reduce((sum, { issues }) => sum + issues, 0)).toBe(check.errors.length);
        expect(facts.length > 0).toBe(!check.valid);
        if (facts.length < check.errors.length) piles++;
      }),
      { numRuns: sample(125, 500) },
    );
    expect(piles).toBeGreaterThan(sample(0, 5));
  });
});
