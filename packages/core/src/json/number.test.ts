import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLossyNumber, isLossyToken, normaliseNumber } from "./number.ts";
import { encodeUtf8 } from "./text.ts";

/** Returns whether two decimals are the same number, by integer arithmetic. */
function sameValue(a: string, b: string): boolean {
  const parts = (text: string): { digits: bigint; exponent: number } => {
    const [, sign, whole, fraction = "", exponent = "0"] =
      /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/.exec(text) ?? [];
    return {
      digits: BigInt(`${sign}${whole}${fraction}`),
      exponent: Number(exponent) - fraction.length,
    };
  };
  const left = parts(a);
  const right = parts(b);
  const low = Math.min(left.exponent, right.exponent);
  const scaled = (x: typeof left) => x.digits * 10n ** BigInt(x.exponent - low);
  return scaled(left) === scaled(right);
}

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });
const numberText = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: digits(25).map((text) => text.replace(/^0+(?=.)/, "")),
    fraction: fc.option(digits(25), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -360, max: 340 }), { nil: undefined }),
    mark: fc.constantFrom("e", "E", "e+"),
  })
  .map(({ sign, whole, fraction, exponent, mark }) => {
    const power =
      exponent === undefined ? "" : `${exponent < 0 ? mark[0] : mark}${String(exponent)}`;
    return `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${power}`;
  });

describe("isLossyNumber", () => {
  it.each(["0", "-0", "-0.0e5", "0e99999", "1.0", "0.1", "1e2", "9007199254740992", "1E4"])(
    "is false for %s",
    (text) => expect(isLossyNumber(text)).toBe(false),
  );
  it.each(["1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "123456789012345680000"])(
    "is false for %s",
    (text) => expect(isLossyNumber(text)).toBe(false),
  );
  it.each([
    "9007199254740993",
    "9007199254740993.5",
    "12345678901234567890.5",
    "1e400",
    "-1e400",
    "1e-400",
    "4e-324",
    "0.1000000000000000055511151231257827",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "3.141592653589793238462643383279",
  ])("is true for %s", (text) => expect(isLossyNumber(text)).toBe(true));

  it("is true exactly if the double's shortest decimal is another number", () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const double = Number(text);
        const expected = !Number.isFinite(double) || !sameValue(text, String(double));
        expect(isLossyNumber(text)).toBe(expected);
        const padded = encodeUtf8(` ${text} `);
        expect(isLossyToken(padded, 1, padded.length - 1)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it("is false for anything a double prints", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isLossyNumber(String(value))).toBe(false);
      }),
    );
  });

  it("reads a million digits", () => {
    expect(isLossyNumber(`1${"0".repeat(1_000_000)}e-1000000`)).toBe(false);
    expect(isLossyNumber(`0.${"0".repeat(1_000_000)}1e1000001`)).toBe(false);
    expect(isLossyNumber("9".repeat(1_000_000))).toBe(true);
  });
});

describe("normaliseNumber", () => {
  it.each([
    ["0", { negative: false, digits: "", exponent: 0 }],
    ["-0.00e7", { negative: false, digits: "", exponent: 0 }],
    ["1.0", { negative: false, digits: "1", exponent: 0 }],
    ["-1200", { negative: true, digits: "12", exponent: 2 }],
    ["0.0120E+1", { negative: false, digits: "12", exponent: -2 }],
    ["9007199254740993.5", { negative: false, digits: "90071992547409935", exponent: -1 }],
  ])("reads %s", (text, expected) => expect(normaliseNumber(text)).toEqual(expected));

  it("returns the same for two texts exactly if they are the same number", () => {
    fc.assert(
      fc.property(numberText, numberText, fc.nat({ max: 9 }), (a, b, zeros) => {
        const same = JSON.stringify(normaliseNumber(a)) === JSON.stringify(normaliseNumber(b));
        expect(same).toBe(sameValue(a, b));
        const [, mantissa, exponent = "0"] = /^([^eE]*)(?:[eE](.*))?$/.exec(a) ?? [];
        const moved = `${mantissa}${mantissa?.includes(".") ? "" : "."}${"0".repeat(zeros + 1)}e${exponent}`;
        expect(normaliseNumber(moved)).toEqual(normaliseNumber(a));
      }),
    );
  });
});
