import { describe, expect, it } from "vitest";
import { hasLoop } from "./loops.ts";

describe("hasLoop", () => {
  it.each<[string, boolean, Readonly<Record<string, unknown>>]>([
    ["a reference to itself", true, { properties: { a: { $ref: "#/properties/a" } } }],
    ["the whole as its own part", true, { allOf: [{ $ref: "#" }] }],
    ["the whole as its own choice", true, { anyOf: [{ type: "object" }, { $ref: "#" }] }],
    ["a condition", true, { if: {}, else: { $ref: "#" } }],
    ["a dependency", true, { dependencies: { a: { $ref: "#" } } }],
    [
      "two that refer to each other",
      true,
      { $defs: { a: { oneOf: [{ $ref: "#/$defs/b" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } } },
    ],
    ["the whole in a property", false, { properties: { a: { $ref: "#" } } }],
    ["the whole in items of a choice", false, { anyOf: [{ items: { $ref: "#" } }] }],
    [
      "one part used twice",
      false,
      { $defs: { a: {} }, allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] },
    ],
    ["nothing", false, {}],
  ])("%s: %s", (_what, expected, schema) => {
    expect(hasLoop(schema)).toBe(expected);
  });

  it("looks at each schema once", () => {
    const $defs: Record<string, object> = { d60: {} };
    for (let i = 0; i < 60; i++) {
      const $ref = `#/$defs/d${i + 1}`;
      $defs[`d${i}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(hasLoop({ $ref: "#/$defs/d0", $defs })).toBe(false);
  });
});
