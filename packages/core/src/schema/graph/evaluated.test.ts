import { describe, expect, it } from "vitest";
import { evaluatedItems, evaluatedProperties } from "./evaluated.ts";
import { graph } from "./testing/graph.ts";

/** A schema in so many others, each under a keyword that takes a list. */
function nested(keyword: "allOf" | "anyOf", times: number, inner: object): object {
  let schema = inner;
  for (let i = 0; i < times; i++) schema = { [keyword]: [schema] };
  return schema;
}

describe("what collecting what is evaluated may take", () => {
  it.each(["allOf", "anyOf"] as const)("is counted for each schema in a chain of %s", (keyword) => {
    const { root } = graph(nested(keyword, 50, {}));
    for (const evaluated of [evaluatedProperties, evaluatedItems]) {
      expect(evaluated(root, { left: 51 })).toMatchObject({ all: false });
      expect(evaluated(root, { left: 50 })).toBeUndefined();
    }
  });

  it("is counted for each name, pattern and item", () => {
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, true]));
    const object = graph({ properties, patternProperties: { a: true } }).root;
    expect(evaluatedProperties(object, { left: 22 })?.names.size).toBe(20);
    expect(evaluatedProperties(object, { left: 21 })).toBeUndefined();
    const again = graph({ properties, anyOf: [{ properties }] }).root;
    expect(evaluatedProperties(again, { left: 42 })?.names.size).toBe(20);
    expect(evaluatedProperties(again, { left: 41 })).toBeUndefined();
    const array = graph({ prefixItems: new Array(20).fill(true), contains: { type: "null" } }).root;
    expect(evaluatedItems(array, { left: 22 })).toMatchObject({ prefix: 20, contains: [{}] });
    expect(evaluatedItems(array, { left: 21 })).toBeUndefined();
  });

  it.each(["allOf", "anyOf"] as const)("goes no further than that in a chain of %s", (keyword) => {
    const { root } = graph(nested(keyword, 100, {}));
    const allowance = { left: 10 };
    expect(evaluatedProperties(root, allowance)).toBeUndefined();
    expect(allowance.left).toBe(-1);
  });
});
