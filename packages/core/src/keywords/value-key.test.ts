import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValue } from "../engine/testing/arbitrary.ts";
import { equalJson } from "../json/value.ts";
import { valueKey } from "./value-key.ts";

const key = (value: unknown): string => valueKey(value, undefined, undefined);

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, part]) => [name, reversed(part)] as const);
  return Object.fromEntries(members.reverse());
}

describe("valueKey", () => {
  it("is the same for two values exactly when they are equal", () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        expect(key(a) === key(b)).toBe(equalJson(a, b));
        expect(key(a)).toBe(key(reversed(a)));
      }),
    );
  });

  it.each([
    [[], {}],
    [[1, 2], [12]],
    [
      [1, [2]],
      [[1], 2],
    ],
    [["1"], [1]],
    [[null], ["null"]],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])("differs for %j and %j", (a, b) => {
    expect(key(a)).not.toBe(key(b));
  });

  it("is the same for 0 and -0, and for keys in any order", () => {
    expect(key([-0])).toBe(key([0]));
    expect(key({ b: 1, a: [] })).toBe(key({ a: [], b: 1 }));
  });

  it("handles 200,000 levels without exhausting the stack", () => {
    let value: unknown = [];
    for (let i = 0; i < 200_000; i++) value = [value];
    expect(key(value)).toHaveLength(200_001 * 2 + 200_000);
  });
});
