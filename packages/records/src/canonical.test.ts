import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical.ts";

describe("canonicalJson", () => {
  it("writes the example of RFC 8785, section 3.2.2", () => {
    const value: unknown = JSON.parse(
      `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
        "string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
        "literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts keys by UTF-16 code units, as in RFC 8785, section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    const values = Object.values(JSON.parse(canonicalJson(value)) as object);
    expect(canonicalJson(value).indexOf("Carriage")).toBeLessThan(
      canonicalJson(value).indexOf("One"),
    );
    expect(values).toHaveLength(7);
    const order = [
      ...canonicalJson(value).matchAll(/"(One|Car\w+|Con\w+|Lat\w+|Eur\w+|Emo\w+|Heb\w+)/g),
    ];
    expect(order.map((match) => match[1])).toEqual([
      "Carriage",
      "One",
      "Control",
      "Latin",
      "Euro",
      "Emoji",
      "Hebrew",
    ]);
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [Number.MIN_VALUE, "5e-324"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [1e23, "1e+23"],
    [0.000001, "0.000001"],
    [333333333.33333325, "333333333.33333325"],
    [1424953923781206.2, "1424953923781206.2"],
  ])("writes the number %d of RFC 8785, appendix B, as %s", (number, text) => {
    expect(canonicalJson(number)).toBe(text);
  });

  it("leaves out undefined members", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "\ud800",
    { "\udc00": 1 },
    [undefined],
    1n,
    () => 1,
  ])("refuses %s", (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it("writes a value the same way whatever the order of its keys", () => {
    const value = fc.jsonValue({ noUnicodeString: false }).filter((json) => {
      return !/\\ud[89a-f]/i.test(JSON.stringify(json));
    });
    fc.assert(
      fc.property(value, (json) => {
        const text = canonicalJson(json);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(json)));
        expect(canonicalJson(reversed(json))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)]);
    return Object.fromEntries(entries.reverse());
  }
  return value;
}
