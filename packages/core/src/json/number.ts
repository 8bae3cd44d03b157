import { DOT, MINUS, PLUS, ZERO } from "./bytes.ts";
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
 * Reads a number (RFC 8259, section 6) that starts at `at`, but not what follows it.
 * @returns the offset after it, or `~offset` if a digit is missing there.
 */
export function skipNumber(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] === MINUS ? at + 1 : at;
  // No digit may follow a leading zero: in `01`, the number ends before the 1.
  let i = bytes[first] === ZERO ? first + 1 : skipDigits(bytes, first, end);
  if (i === first) return ~i;
  if (i < end && bytes[i] === DOT) {
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

function* digitSteps(
  bytes: Uint8Array,
  at: number,
  end: number,
  step: number,
): Generator<void, number, void> {
  for (let i = at; ; ) {
    const until = Math.min(i + step, end);
    i = skipDigits(bytes, i, until);
    if (i < until || until === end) return i;
    yield;
  }
}

/** Runs {@link skipNumber} in steps of this many bytes. */
export function* skipNumberSteps(
  bytes: Uint8Array,
  at: number,
  end: number,
  step: number,
): Generator<void, number, void> {
  const first = bytes[at] === MINUS ? at + 1 : at;
  let i = bytes[first] === ZERO ? first + 1 : yield* digitSteps(bytes, first, end, step);
  if (i === first) return ~i;
  if (bytes[i] === DOT) {
    const fraction = i + 1;
    i = yield* digitSteps(bytes, fraction, end, step);
    if (i === fraction) return ~i;
  }
  if (((bytes[i] ?? 0) | 0x20) === 0x65) {
    const sign = bytes[i + 1];
    const exponent = i + (sign === PLUS || sign === MINUS ? 2 : 1);
    i = yield* digitSteps(bytes, exponent, end, step);
    if (i === exponent) return ~i;
  }
  return i;
}

/** A decimal number as `digits * 10^exponent`, the same for all its spellings. */
export interface NormalNumber {
  /** False for `-0`. */
  readonly negative: boolean;
  /** Without leading or trailing zeros; `""` is zero. */
  readonly digits: string;
  /** 0 for zero; exact up to 2^53, an approximation beyond. */
  readonly exponent: number;
}

/**
 * Reads a number (RFC 8259, section 6) without loss: `1.0`, `1` and `10e-1` give the same result. It is an integer
 * exactly if `exponent` is not negative.
 * @param text a number as in JSON text; the result for other text is meaningless.
 */
export function normaliseNumber(text: string): NormalNumber {
  const { negative, digits, written, shift } = readDigits(text);
  return digits === ""
    ? { negative: false, digits, exponent: 0 }
    : { negative, digits, exponent: written + shift };
}

/** The parts of a number as written. */
export interface WrittenNumber {
  readonly negative: boolean;
  /** Without leading or trailing zeros; `""` is zero. */
  readonly digits: string;
  /** The exponent after `e`, 0 if there is none. */
  readonly written: number;
  /** The amount by which the decimal point and the removed zeros change the exponent. */
  readonly shift: number;
}

/** Splits a number into its parts without loss. The result for other text is meaningless. */
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

/** Returns whether a text is a JSON number (RFC 8259, section 6). */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/**
 * Returns whether a double cannot hold the number: the shortest decimal that parses to the same double (ECMA-262,
 * Number::toString) is a different number. A double holds `1.0`, `0.1`, `1e2` and `-0`, but not `9007199254740993`,
 * `1e400` or `1e-400`.
 * @param text a number by RFC 8259.
 */
export function isLossyNumber(text: string): boolean {
  const double = Number(text);
  // Most numbers with many digits were written from a double by some program, so this is checked first.
  if (String(double) === text) return false;
  const source = normaliseNumber(text);
  if (source.digits === "") return false;
  if (!Number.isFinite(double)) return true;
  const held = normaliseNumber(String(double));
  return held.digits !== source.digits || held.exponent !== source.exponent;
}

/** Does the same as {@link isLossyNumber} for the number in `[start, end)`, without decoding common numbers. */
export function isLossyToken(bytes: Uint8Array, start: number, end: number): boolean {
  // A double holds every decimal of up to 15 significant digits, except at the extremes of the exponent.
  if (end - start <= 15) {
    let i = start;
    while (i < end && ((bytes[i] as number) | 0x20) !== 0x65) i++;
    if (i === end) return false;
  }
  if (end - start > LONG_NUMBER && hasManyDigits(bytes, start, end)) return true;
  return isLossyNumber(decodeUtf8(bytes, start, end));
}

/** A longer number is not decoded if its digits show that no double holds it. */
const LONG_NUMBER = 1_024;
/** The shortest decimal of a double has no more significant digits (ECMA-262, Number::toString). */
const MOST_DIGITS = 17;

/** Returns whether a number has more significant digits than the shortest decimal of any double. */
function hasManyDigits(bytes: Uint8Array, start: number, end: number): boolean {
  let digits = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if ((byte | 0x20) === 0x65) return false;
    const digit = byte ^ 0x30;
    if (digit > 9) continue;
    if (digits > 0 || digit !== 0) digits += 1;
    // Zeros at the end do not count.
    if (digits > MOST_DIGITS && digit !== 0) return true;
  }
  return false;
}
