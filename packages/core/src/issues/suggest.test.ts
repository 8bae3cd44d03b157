import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileSchema } from "../schema/compile.ts";
import { editDistance, nearest } from "./suggest.ts";

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["abc", "", 3],
    ["city", "ctiy", 1],
    ["kitten", "sitting", 3],
    ["ca", "abc", 3],
  ])("%j to %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });

  test("is zero only for equal texts and at most the longer length", () => {
    const text = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});

it.each([
  ["ctiy", ["country", "city"], "city"],
  ["CITY", ["city"], "city"],
  ["ab", ["xy"], undefined],
  ["abc", ["xyc"], undefined],
  ["temprature", ["temperature", "humidity"], "temperature"],
  ["a".repeat(100), ["a".repeat(99)], undefined],
])("nearest(%j, %j) is %j", (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});

describe("suggestions of a check", () => {
  const properties = { city: { type: "string" }, unit: { enum: ["celsius", "kelvin"] } };
  const schema = { properties, additionalProperties: false };

  it.each([
    ["an unknown name", '{"ctiy":"a"}', [{ path: "/ctiy", message: 'did you mean "city"?' }]],
    ["no name that is used already", '{"city":"a","ctiy":"a"}', []],
    ["no name that is far", '{"country":"a"}', []],
    [
      "allowed values and the nearest",
      '{"unit":"celcius"}',
      [{ path: "/unit", message: 'allowed values: "celsius", "kelvin"', value: "celsius" }],
    ],
    [
      "allowed values alone",
      '{"unit":5}',
      [{ path: "/unit", message: 'allowed values: "celsius", "kelvin"' }],
    ],
  ])("%s", (_name, text, suggestions) => {
    expect(compileSchema({ value: schema }).check(text).suggestions).toEqual(suggestions);
  });

  it("gives a constant, but not one that a double does not hold", () => {
    expect(compileSchema({ text: '{"const":5}' }).check("6").suggestions).toEqual([
      { path: "", message: "must be 5", value: 5 },
    ]);
    expect(compileSchema({ text: '{"const":9007199254740993}' }).check("6").suggestions).toEqual(
      [],
    );
  });

  it("is bounded", () => {
    const big = {
      items: { enum: Array.from({ length: 1000 }, (_, i) => `${i}`.padStart(500, "v")) },
    };
    const { suggestions } = compileSchema({ value: big }).check(JSON.stringify(Array(100).fill(0)));
    expect(suggestions).toHaveLength(20);
    expect(suggestions[0]?.message.length).toBeLessThan(3000);
  });
});
