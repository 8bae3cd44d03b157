import { MINUS, PLUS, POINT, ZERO } from "./bytes.ts";
import { decodeUtf8 } from "./text.ts";

function skipDigits(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte < ZERO || byte > 0x39) break;
    i++;
  }
  return i;
}

/**
 * Reads a number (RFC 8259, section 6) that starts at `at`. What follows it is not looked at.
 * @returns the offset behind it, or `~offset` where a digit is missing.
 */
export function skipNumber(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] === MINUS ? at + 1 : at;
  // A leading zero stands alone: in `01` the number ends before the 1.
  let i = bytes[first] === ZERO ? first + 1 : skipDigits(bytes, first, end);
  if (i === first) return ~i;
  if (i < end && bytes[i] === POINT) {
    const fraction = i + 1;
    i = skipDigits(bytes, fraction, end);
    if (i === fraction) return ~i;
  }
  if (i < end && ((bytes[i] as number) | 0x20) === 0x65) {
    const sign = bytes[i + 1];
    const exponent = i + (sign === PLUS || sign === MINUS ? 2 : 1);
    i = skipDigits(bytes, exponent, end);
    if (i === exponent) return ~i;
  }
  return i;
}

/** A decimal number as `digits * 10^exponent`, the same for every way to write it. */
export interface NormalNumber {
  /** False for `-0`. */
  readonly negative: boolean;
  /** Without zeros at either end; `""` is zero. */
  readonly digits: string;
  /** 0 for zero; exact up to 2^53, an approximation beyond. */
  readonly exponent: number;
}

/**
 * Reads a number (RFC 8259, section 6) without loss: `1.0`, `1` and `10e-1` give the same. It is an
 * integer exactly when `exponent` is not negative.
 * @param text a number as it is in JSON text; other text gives no meaningful answer.
 */
export function normaliseNumber(text: string): NormalNumber {
  const { negative, digits, written, shift } = readDigits(text);
  return digits === ""
    ? { negative: false, digits, exponent: 0 }
    : { negative, digits, exponent: written + shift };
}

/** The parts of a number as it is written. */
export interface WrittenNumber {
  readonly negative: boolean;
  /** Without zeros at either end; `""` is zero. */
  readonly digits: string;
  /** The exponent behind `e`, 0 if there is none. */
  readonly written: number;
  /** What the point and the zeros left out add to it. */
  readonly shift: number;
}

/** Takes a number apart without loss; of other text it gives nothing meaningful. */
export function readDigits(text: string): WrittenNumber {
  const e = text.search(/[eE]/);
  const negative = text.startsWith("-");
  const mantissa = text.slice(negative ? 1 : 0, e < 0 ? text.length : e);
  const point = mantissa.indexOf(".");
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let last = all.length;
  while (last > 0 && all.charCodeAt(last - 1) === ZERO) last--;
  let first = 0;
  while (first < last && all.charCodeAt(first) === ZERO) first++;
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  return {
    negative,
    digits: all.slice(first, last),
    written: e < 0 ? 0 : Number(text.slice(e + 1)),
    shift: all.length - last - fraction,
  };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number as JSON writes it (RFC 8259, section 6). */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/**
 * Returns whether a double cannot hold the number: the shortest decimal that parses to the same double
 * (ECMA-262, Number::toString) is another number than the text's. `1.0`, `0.1`, `1e2` and `-0` are
 * held; `9007199254740993`, `1e400` and `1e-400` are not.
 * @param text a number by RFC 8259.
 */
export function isLossyNumber(text: string): boolean {
  const double = Number(text);
  // Most numbers with many digits were written by a program that had a double.
  if (String(double) === text) return false;
  const source = normaliseNumber(text);
  if (source.digits === "") return false;
  if (!Number.isFinite(double)) return true;
  const held = normaliseNumber(String(double));
  return held.digits !== source.digits || held.exponent !== source.exponent;
}

/** {@link isLossyNumber} for the number in `[start, end)`, without decoding the common ones. */
export function isLossyToken(bytes: Uint8Array, start: number, end: number): boolean {
  // Every decimal of up to 15 significant digits survives a double, short of the exponent's ends.
  if (end - start <= 15) {
    let i = start;
    while (i < end && ((bytes[i] as number) | 0x20) !== 0x65) i++;
    if (i === end) return false;
  }
  return isLossyNumber(decodeUtf8(bytes, start, end));
}
