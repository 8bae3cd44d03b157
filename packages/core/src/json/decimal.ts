import { readDigits } from "./number.ts";

/**
 * An exact decimal number: `sign` times the integer `digits` times ten to the power of `exponent`. `digits` has no
 * zeros at either end and is empty for zero, so equal numbers have equal parts. Digits are text rather than a bigint:
 * comparing stays linear in the number of digits in a payload, and an exponent of a billion costs nothing.
 */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: number;
}

const ZERO: Decimal = { sign: 0, digits: "", exponent: 0 };

/** Exponents are clamped to this; two numbers beyond it differ only by their digits. */
const MAX_EXPONENT = 1e15;

/** Maximum product of two digit counts for which a remainder is computed. */
const MAX_DIVISION_WORK = 100_000_000;
const CHUNK_DIGITS = 1000;

/**
 * Reads a number as written in JSON (RFC 8259, section 6) or by `String(number)`.
 * @param source must be such a number; this is not checked
 */
export function parseDecimal(source: string): Decimal {
  const { negative, digits, written, shift } = readDigits(source);
  if (digits === "") return ZERO;
  const power = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, written));
  return { sign: negative ? -1 : 1, digits, exponent: power + shift };
}

/**
 * Returns the shortest decimal that parses to the double (ECMA-262, Number::toString). The double must be finite.
 */
export function decimalOf(value: number): Decimal {
  return parseDecimal(String(value));
}

/**
 * Returns a negative number if `a` is less than `b`, zero if they are equal, and a positive number if it is greater.
 */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  const magnitude = a.exponent + a.digits.length - (b.exponent + b.digits.length);
  if (magnitude !== 0) return a.sign * magnitude;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

/** Returns whether the number has no fractional part. */
export function isIntegral(value: Decimal): boolean {
  return value.exponent >= 0;
}

/** Maximum number of digits shown. */
const MAX_SHOWN = 40;

/** Returns the number in JSON syntax (RFC 8259, section 6); undefined if it has more than 40 significant digits. */
export function decimalText({ sign, digits, exponent }: Decimal): string | undefined {
  if (digits.length > MAX_SHOWN) return undefined;
  if (sign === 0) return "0";
  const minus = sign < 0 ? "-" : "";
  const point = digits.length + exponent;
  if (exponent >= 0 && point <= MAX_SHOWN) return `${minus}${digits}${"0".repeat(exponent)}`;
  if (exponent < 0 && point > 0) return `${minus}${digits.slice(0, point)}.${digits.slice(point)}`;
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${minus}${digits.slice(0, 1)}${fraction}e${point - 1}`;
}

/** Approximate number of digits in a double. */
const ROUND_DIGITS = 16;

/** Returns a number in approximate form, for people: cut after 16 significant digits. */
export function roundText({ sign, digits, exponent }: Decimal): string {
  const cut = digits.slice(0, ROUND_DIGITS);
  const point = exponent + digits.length - cut.length;
  return `about ${decimalText({ sign, digits: cut, exponent: point })}`;
}

/** Returns a text that is the same for equal numbers and different for others. */
export function decimalKey(value: Decimal): string {
  return `${value.sign < 0 ? "-" : ""}${value.digits}e${value.exponent}`;
}

function remainder(digits: string, divisor: bigint): bigint {
  let rest = 0n;
  for (let at = 0; at < digits.length; at += CHUNK_DIGITS) {
    const chunk = digits.slice(at, at + CHUNK_DIGITS);
    rest = (rest * 10n ** BigInt(chunk.length) + BigInt(chunk)) % divisor;
  }
  return rest;
}

function powerOfTen(exponent: number, modulus: bigint): bigint {
  let result = 1n % modulus;
  let base = 10n % modulus;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}

/**
 * Returns whether `value` is an integer multiple of `divisor`, in decimal: 19.99 is a multiple of 0.01. Only zero is
 * a multiple of zero.
 * @throws RangeError if both have too many digits, so that the division would take too long.
 */
export function isMultipleOf(value: Decimal, divisor: Decimal): boolean {
  if (value.sign === 0) return true;
  if (divisor.sign === 0) return false;
  const shift = value.exponent - divisor.exponent;
  // The digits of `value` do not end in zero, so no power of ten divides them.
  if (shift < 0) return false;
  if (value.digits.length * divisor.digits.length > MAX_DIVISION_WORK) {
    throw new RangeError("the numbers of multipleOf have too many digits to divide");
  }
  const modulus = BigInt(divisor.digits);
  return (remainder(value.digits, modulus) * powerOfTen(shift, modulus)) % modulus === 0n;
}
