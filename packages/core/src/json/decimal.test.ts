import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  compareDecimals,
  decimalKey,
  decimalOf,
  decimalText,
  isIntegral,
  isMultipleOf,
  parseDecimal,
} from "./decimal.ts";

/** A decimal as a bigint and a power of ten, and two ways to write it. */
const written = fc
  .record({
    digits: fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.bigInt({ min: -2n, max: 2n }),
    ),
    power: fc.nat(20),
  })
  .map(({ digits, power }) => ({
    scaled: digits * 10n ** BigInt(20 - power),
    text: `${digits}e-${power}`,
  }));

describe("decimalText", () => {
  it.each([
    ["-0.0", "0"],
    ["9223372036854775807", "9223372036854775807"],
    ["-12.50", "-12.5"],
    ["1200", "1200"],
    ["0.00012", "1.2e-4"],
    ["1e-400", "1e-400"],
    ["-125e400", "-1.25e402"],
    [`1${"0".repeat(39)}`, `1${"0".repeat(39)}`],
    [`1${"0".repeat(40)}`, "1e40"],
    ["1".repeat(41), undefined],
  ])("writes %s as %s", (source, text) => {
    expect(decimalText(parseDecimal(source))).toBe(text);
  });

  it("is parsed as the same number", () => {
    fc.assert(
      fc.property(written, ({ text }) => {
        const decimal = parseDecimal(text);
        expect(parseDecimal(decimalText(decimal) ?? "")).toEqual(decimal);
      }),
    );
  });
});

describe("parseDecimal", () => {
  it.each([
    ["0", 0, "", 0],
    ["-0.000e99", 0, "", 0],
    ["1.0", 1, "1", 0],
    ["100", 1, "1", 2],
    ["-12.50", -1, "125", -1],
    ["1e400", 1, "1", 400],
    ["1E+2", 1, "1", 2],
    ["0.00012", 1, "12", -5],
    ["1e999999999", 1, "1", 999_999_999],
    ["1e99999999999999999999", 1, "1", 1e15],
  ])("reads %s", (text, sign, digits, exponent) => {
    expect(parseDecimal(text)).toEqual({ sign, digits, exponent });
  });

  test("every finite double round-trips", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { sign, digits, exponent } = decimalOf(value);
        expect(Number(`${sign * 1 < 0 ? "-" : ""}${digits || "0"}e${exponent}`)).toBe(
          value === 0 ? 0 : value,
        );
      }),
    );
  });
});

test("comparison and key agree with integers", () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const order = compareDecimals(parseDecimal(a.text), parseDecimal(b.text));
      expect(Math.sign(order)).toBe(a.scaled < b.scaled ? -1 : a.scaled > b.scaled ? 1 : 0);
      const same = decimalKey(parseDecimal(a.text)) === decimalKey(parseDecimal(b.text));
      expect(same).toBe(a.scaled === b.scaled);
      // Two random numbers are hardly ever near to each other.
      const key = decimalKey(parseDecimal(a.text));
      expect(decimalKey(parseDecimal(`${a.scaled}e-20`))).toBe(key);
      const isOwnOpposite = decimalKey(parseDecimal(`${-a.scaled}e-20`)) === key;
      expect(isOwnOpposite).toBe(a.scaled === 0n);
    }),
  );
});

test("isMultipleOf agrees with integers of thousands of digits", () => {
  const digit = fc.nat(9).map(String);
  const long = fc.array(digit, { minLength: 1, maxLength: 3_500 }).map((digits) => digits.join(""));
  fc.assert(
    fc.property(long, fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.nat(3), (text, divisor, rest) => {
      const value = BigInt(text) * divisor + BigInt(rest);
      const isMultiple = isMultipleOf(parseDecimal(`${value}`), parseDecimal(`${divisor}`));
      expect(isMultiple).toBe(value % divisor === 0n);
    }),
    { numRuns: 50 },
  );
});

test("isIntegral and isMultipleOf agree with integers", () => {
  fc.assert(
    fc.property(written, written, fc.integer({ min: -9, max: 9 }), (a, b, factor) => {
      expect(isIntegral(parseDecimal(a.text))).toBe(a.scaled % 10n ** 20n === 0n);
      fc.pre(b.scaled !== 0n);
      const divisor = parseDecimal(b.text);
      expect(isMultipleOf(parseDecimal(a.text), divisor)).toBe(a.scaled % b.scaled === 0n);
      const product = parseDecimal(`${b.scaled * BigInt(factor)}e-20`);
      expect(isMultipleOf(product, divisor)).toBe(true);
    }),
  );
});

it.each([
  ["19.99", "0.01", true],
  ["4.35", "0.01", true],
  ["0.3", "0.1", true],
  ["19.995", "0.01", false],
  ["1e999999999", "3", false],
  ["3e999999999", "3", true],
  ["1e999999999", "1e-999999999", true],
  ["1e-999999999", "1", false],
  ["0", "7", true],
  ["7", "0", false],
  [`${"9".repeat(100_000)}`, "9", true],
  [`${"9".repeat(100_000)}`, "7", false],
])("isMultipleOf(%.20s, %s) is %s", (value, divisor, expected) => {
  expect(isMultipleOf(parseDecimal(value), parseDecimal(divisor))).toBe(expected);
});

it("refuses a division that would take too long", () => {
  const long = parseDecimal("7".repeat(200_000));
  expect(() => isMultipleOf(long, long)).toThrow(RangeError);
});
