import { expect, it } from "vitest";
import { canonicalText } from "./canonical.ts";

it.each([
  [{ b: 1, a: { d: 1, c: [{ y: 1, x: 2 }] } }, '{"a":{"c":[{"x":2,"y":1}],"d":1},"b":1}'],
  [[2, 1, null, "a"], '[2,1,null,"a"]'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ["x".repeat(65_534), `"${"x".repeat(65_534)}"`],
])("writes equal values as the same text, whatever the order of their keys", (value, text) => {
  expect(canonicalText(value)).toBe(text);
});

it("is undefined for values without JSON text, or with a long one", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const value of [undefined, () => 1, 1n, cyclic, "x".repeat(65_535)]) {
    expect(canonicalText(value)).toBeUndefined();
  }
});
