import { describe, expect, it } from "vitest";
import { testContext } from "./testing/context.ts";
import { explain } from "./testing/interpret.ts";
import { plainGraph } from "./testing/plain-graph.ts";

const TEXT = { type: "string" };

function run(schema: unknown, value: unknown, maxIssues: number) {
  return explain(plainGraph(schema), value, testContext(10_000_000), { maxIssues });
}

describe("explain", () => {
  it("lists a limited number of errors and counts all", () => {
    const { errors, total, counts } = run({ items: TEXT }, Array(50_000).fill(0), 3);
    expect(errors.map(({ instancePath }) => instancePath)).toEqual(["/0", "/1", "/2"]);
    expect({ total, counts }).toEqual({ total: 50_000, counts: { type: 50_000 } });
  });

  it("can list none and still count", () => {
    expect(run({ items: TEXT }, [1, 2], 0)).toEqual({ errors: [], total: 2, counts: { type: 2 } });
  });

  it("counts a composite once, and lists the errors of its branches", () => {
    const schema = { items: { anyOf: [{ required: ["a", "b"] }, TEXT] }, minItems: 9 };
    const { errors, total, counts } = run(schema, [{}, {}], 2);
    expect(errors.map(({ keyword }) => keyword)).toEqual(["minItems", "required"]);
    expect({ total, counts }).toEqual({ total: 9, counts: { required: 2, value: 1 } });
  });

  it("drops the errors of branches if another branch passes, even beyond the limit", () => {
    const many = { items: TEXT };
    const schema = { allOf: [{ anyOf: [many, { contains: { const: 1 } }] }, { maxItems: 1 }] };
    expect(run(schema, [1, 1, 1, 1], 2)).toMatchObject({
      errors: [{ keyword: "maxItems" }],
      total: 1,
      counts: { value: 1 },
    });
  });

  it("counts errors that contains keeps", () => {
    expect(run({ contains: TEXT }, [1, 2], 9)).toMatchObject({
      total: 3,
      counts: { type: 2, value: 1 },
    });
  });

  it("attributes errors of a name to the property", () => {
    const schema = { propertyNames: { anyOf: [{ maxLength: 1 }, { pattern: "^x" }] } };
    const { errors, counts } = run(schema, { abc: 1, xyz: 1 }, 9);
    expect(errors.map(({ keyword, propertyName }) => [keyword, propertyName])).toEqual([
      ["maxLength", "abc"],
      ["pattern", "abc"],
      ["anyOf", "abc"],
      ["propertyNames", undefined],
    ]);
    expect(counts).toEqual({ extra: 2 });
  });

  it("attaches value and schema to each error", () => {
    const [error] = run({ properties: { a: { enum: [1, 2] } } }, { a: 3 }, 9).errors;
    expect(error).toMatchObject({
      data: 3,
      params: { allowedValues: [1, 2] },
      node: { origin: "#/properties/a" },
    });
  });

  it("stores the names of dependentRequired once", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `name${i}`);
    const { errors, total } = run({ dependentRequired: { a: names } }, { a: 1 }, 1000);
    expect(total).toBe(20_000);
    expect(new Set(errors.map(({ params }) => params["deps"])).size).toBe(1);
  });
});
