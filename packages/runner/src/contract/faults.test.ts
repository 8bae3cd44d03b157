import { describe, expect, it } from "vitest";
import { schemaFaults } from "./faults.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const broken = { a: { $ref: "#/nope" }, b: { pattern: "[" } };

/** Schemas, and the places of all their faults. */
const cases: readonly (readonly [string, object, readonly string[]])[] = [
  [
    "one that is not a schema among others",
    { properties: { l: 5, ...broken } },
    ["/properties/l", "/properties/a/$ref", "/properties/b/pattern"],
  ],
  [
    "the same in draft-07",
    { $schema: DRAFT_07, properties: { l: 5, ...broken } },
    ["/properties/l", "/properties/a/$ref", "/properties/b/pattern"],
  ],
  [
    "two keywords of one schema",
    { properties: { e: { type: "strng", pattern: "(" } } },
    ["/properties/e/type", "/properties/e/pattern"],
  ],
  [
    "a type, and what stands below it",
    { properties: { e: { type: "objekt", properties: broken } } },
    ["/properties/e/type", "/properties/e/properties/a/$ref", "/properties/e/properties/b/pattern"],
  ],
  [
    "items of a list",
    { allOf: [5, { type: "strng" }, { pattern: "(" }], required: "a" },
    ["/allOf/0", "/allOf/1/type", "/allOf/2/pattern", "/required"],
  ],
  [
    "an empty list",
    { allOf: [], properties: broken },
    ["/allOf", "/properties/a/$ref", "/properties/b/pattern"],
  ],
  [
    "a member that is null",
    { properties: { l: null, ...broken } },
    ["/properties/l", "/properties/a/$ref", "/properties/b/pattern"],
  ],
  ["all of it", [5] as object, [""]],
  ["nothing", { type: "object" }, []],
];

describe("the faults of a schema", () => {
  it.each(cases)("are all reported: %s", (_name, schema, paths) => {
    const before = JSON.stringify(schema);
    const found = schemaFaults(schema, {}).map(({ path }) => path);
    expect([...new Set(found)].sort()).toEqual([...paths].sort());
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("name what is expected at a place, not the branches that do not match", () => {
    const [fault] = schemaFaults({ properties: { e: { type: "url" } } }, {});
    expect(fault?.message).toMatch(/^must be one of "array", /);
  });
});
