import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { jsonSchema, jsonValue } from "../../engine/testing/arbitrary.ts";
import { closestIssues } from "./closest-issues.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "integer" };
const CARD = { properties: { card: TEXT }, required: ["card", "name"] };
const CASH = { properties: { cents: NUMBER }, required: ["cents"] };
const KIND = {
  oneOf: [
    { properties: { kind: { const: "a" }, a: TEXT }, required: ["kind", "a"] },
    { properties: { kind: { const: "b" }, b: TEXT, c: TEXT }, required: ["kind", "b", "c"] },
  ],
};

/** Schema, value, and the path and keyword of each issue that is reported. */
const CASES: readonly (readonly [string, object, unknown, readonly string[]])[] = [
  ["no union", { required: ["a"], properties: { b: TEXT } }, { b: 1 }, ["/a required", "/b type"]],
  [
    "the branch that comes closest",
    { oneOf: [CARD, CASH] },
    { cents: "1" },
    ["/cents type", " oneOf"],
  ],
  [
    "all branches where no type fits",
    { anyOf: [TEXT, NUMBER] },
    null,
    [" type", " type", " anyOf"],
  ],
  ["the branch of the right type", { anyOf: [TEXT, CASH] }, {}, ["/cents required", " anyOf"]],
  ["a met discriminator", KIND, { kind: "b" }, ["/b required", "/c required", " oneOf"]],
  ["an unmet discriminator", KIND, { kind: "c" }, ["/kind const", " oneOf"]],
  [
    "branches as close as one another",
    { anyOf: [CASH, { required: ["x"] }] },
    {},
    ["/cents required", "/x required", " anyOf"],
  ],
  ["more than one that matches", { oneOf: [{}, {}] }, 1, [" oneOf"]],
  [
    "unions in unions",
    { anyOf: [TEXT, { properties: { p: { oneOf: [CARD, CASH] } } }] },
    { p: { cents: "1" } },
    ["/p/cents type", "/p oneOf", " anyOf"],
  ],
  [
    "a union behind if",
    { if: false, else: { properties: { p: { anyOf: [TEXT, CASH] } } } },
    { p: {} },
    ["/p/cents required", "/p anyOf", " if"],
  ],
];

describe("closestIssues", () => {
  it.each(CASES)("keeps %s", (_, schema, value, kept) => {
    const { errors } = compileDeclared({ value: schema }).validate(value);
    const told = closestIssues(errors).map(({ path, keyword }) => `${path} ${keyword}`);
    expect(told).toEqual(kept);
  });

  it.each<[string, number, object, unknown, readonly string[]]>([
    [
      "the chosen branch",
      0,
      { oneOf: [CARD, CASH] },
      { cents: "1" },
      ["/card required", "/name required", " oneOf"],
    ],
    [
      "all branches if the chosen one allows no such value",
      0,
      { anyOf: [TEXT, NUMBER] },
      null,
      [" type", " type", " anyOf"],
    ],
    [
      "the closest branch if the chosen one does not exist",
      7,
      { anyOf: [CARD] },
      {},
      ["/card required", "/name required", " anyOf"],
    ],
  ])("keeps %s", (_, index, schema, value, kept) => {
    const { errors } = compileDeclared({ value: schema }).validate(value);
    const told = closestIssues(errors, () => index);
    expect(told.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(kept);
  });

  it("keeps all issues that were read back from JSON", () => {
    const { errors } = compileDeclared({ value: { oneOf: [CARD, CASH] } }).validate({ cents: "1" });
    const read = structuredClone(errors);
    expect(closestIssues(read)).toEqual(read);
  });

  test("keeps a part of the issues in their order, and at least one if there was one", () => {
    const schemas = jsonSchema({ proto: false, unevaluated: true, full: true });
    fc.assert(
      fc.property(schemas, jsonValue, (schema, value) => {
        const { errors } = compileDeclared({ value: schema }).validate(value);
        const kept = new Set(closestIssues(errors));
        expect(errors.filter((issue) => kept.has(issue))).toEqual([...kept]);
        expect(kept.size === 0).toBe(errors.length === 0);
      }),
      { numRuns: 300 },
    );
  });
});
