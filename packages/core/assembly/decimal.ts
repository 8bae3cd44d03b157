import { skipScalar } from "./skip";

/** Number of digits up to which every decimal, and every integer, is read exactly. */
const MAX_DIGITS: i32 = 15;
const MAX_INTEGER_DIGITS: i32 = 18;

/** The double of the last {@link readNumber}, if {@link isRead}. */
export let decimal: f64 = 0;
export let isRead: bool = false;
/** Whether it is written with digits alone. */
export let isPlain: bool = false;

/**
 * Reads what may be a number at `start`. Sets its double if it is one (RFC 8259, section 6), has no exponent, and is
 * an integer of at most 18 digits or has at most 15: then its digits and the power of ten below them are doubles, and
 * their quotient is the nearest one (W. Clinger, How to Read Floating Point Numbers Accurately, 1990).
 * @returns the address after it
 */
export function readNumber(start: usize): usize {
  const negative = load<u8>(start) === 0x2d;
  const first = start + <usize>negative;
  let p = first;
  let digits: u64 = 0;
  let digit = <u32>load<u8>(p) - 0x30;
  while (digit < 10) {
    digits = digits * 10 + <u64>digit;
    digit = <u32>load<u8>(++p) - 0x30;
  }
  const whole = <i32>(p - first);
  // A leading zero must be the only digit.
  const isWell = whole === 1 || (whole > 0 && load<u8>(first) !== 0x30);
  // The character after the digits: a decimal point, or the letter of an exponent.
  isPlain = digit !== 0x2e - 0x30 && (digit & ~0x20) !== 0x45 - 0x30;
  if (isPlain) {
    isRead = isWell && whole <= MAX_INTEGER_DIGITS;
    decimal = negative ? -(<f64>digits) : <f64>digits;
    return p;
  }
  let scale: f64 = 1;
  let count = whole;
  if (digit === 0x2e - 0x30) {
    digit = <u32>load<u8>(++p) - 0x30;
    while (digit < 10) {
      digits = digits * 10 + <u64>digit;
      scale *= 10;
      count++;
      digit = <u32>load<u8>(++p) - 0x30;
    }
  }
  isRead = isWell && count > whole && count <= MAX_DIGITS && (digit & ~0x20) !== 0x45 - 0x30;
  const value = <f64>digits / scale;
  decimal = negative ? -value : value;
  return isRead ? p : skipScalar(p);
}
