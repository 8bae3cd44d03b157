import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idKey } from "./id.ts";

describe("idKey", () => {
  it.each([
    [['"a"', '"\\u0061"']],
    [["1", "1.0", "10e-1", "0.1E1", "1e0"]],
    [["0", "-0", "0.0", "0e5", "-0e-3"]],
    [["9007199254740993", "9007199254740993.0", "9007199254740.993e3"]],
    [["1000000000000000000000", "1e21", "10E+20"]],
    [["123456789012345", "1.23456789012345e14"]],
    [["-12", "-1.2e1"]],
    [["null"]],
    [["[1]"]],
  ])("is the same for %j", (texts) => {
    expect(new Set(texts.map(idKey)).size).toBe(1);
  });

  it("differs for different ids", () => {
    const texts = ["1", '"1"', "-1", "10", "1.5", "null", '"null"', "true", '"n1"', '"s1"', '""'];
    const large = ["9007199254740992", "9007199254740993", "1e400", "1e401", "1e-400"];
    const beyond = ["1e9007199254740993", "1e9007199254740995"];
    const all = [...texts, ...large, ...beyond];
    expect(new Set(all.map(idKey)).size).toBe(all.length);
  });

  it("is the same for two integers exactly if they are equal", () => {
    const integer = fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt());
    fc.assert(
      fc.property(integer, integer, fc.nat({ max: 25 }), (a, b, zeros) => {
        expect(idKey(String(a)) === idKey(String(b))).toBe(a === b);
        const scaled = String(a * 10n ** BigInt(zeros));
        expect(idKey(`${a}e${zeros}`)).toBe(idKey(scaled));
        expect(idKey(`${a}.${"0".repeat(zeros + 1)}`)).toBe(idKey(String(a)));
      }),
    );
  });

  it("is the same for two strings exactly if they are equal", () => {
    const text = fc.string({ unit: "binary", maxLength: 3 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(idKey(JSON.stringify(a)) === idKey(JSON.stringify(b))).toBe(a === b);
        const escaped = [...Array(a.length).keys()]
          .map((i) => `\\u${a.charCodeAt(i).toString(16).padStart(4, "0")}`)
          .join("");
        expect(idKey(`"${escaped}"`)).toBe(idKey(JSON.stringify(a)));
      }),
    );
  });
});
