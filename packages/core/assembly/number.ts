import { TEXT } from "./layout";

/** Returns whether the number in the text's bytes from `start` to `end` does not fit a double. */
declare function isLossy(start: i32, end: i32): bool;

/** {@link isShort} holds for every number of up to this many bytes without an exponent. */
export const MAX_SHORT: usize = 15;

/** The place of the `e` of the last number with an exponent, in this text. */
export let lastExponent: usize = 0;

/** The place of the last number that JavaScript found to fit a double, in this text. */
let lastHeld: usize = 0;

export function resetNumbers(): void {
  lastExponent = 0;
  lastHeld = 0;
}

function skipDigits(start: usize): usize {
  const zero = i8x16.splat(0x30);
  const nine = i8x16.splat(9);
  let p = start;
  while (true) {
    const digits = i8x16.bitmask(i8x16.le_u(i8x16.sub(v128.load(p), zero), nine));
    const count = ctz(~digits);
    p += <usize>count;
    if (count < 16) return p;
  }
}

/** Reads a number (RFC 8259, section 6). Returns the address after it, or 0. */
export function skipNumber(start: usize): usize {
  const first = start + <usize>(load<u8>(start) === 0x2d);
  const byte = load<u8>(first);
  if (byte < 0x30 || byte > 0x39) return 0;
  // A leading zero must be the only digit.
  let p = byte === 0x30 ? first + 1 : skipDigits(first + 1);
  if (load<u8>(p) === 0x2e) {
    const fraction = p + 1;
    p = skipDigits(fraction);
    if (p === fraction) return 0;
  }
  if ((load<u8>(p) | 0x20) === 0x65) {
    lastExponent = p;
    const sign = load<u8>(p, 1);
    const exponent = p + (sign === 0x2b || sign === 0x2d ? 2 : 1);
    p = skipDigits(exponent);
    if (p === exponent) return 0;
  }
  return p;
}

/**
 * Returns whether the number certainly fits a double: every decimal of up to 15 significant digits does, short of the
 * exponent's ends.
 */
function isShort(start: usize, end: usize): bool {
  let p = start;
  let digits = 0;
  let places = 0;
  let afterPoint = false;
  for (; p < end; p++) {
    const byte = load<u8>(p);
    if (byte === 0x2d) continue;
    if (byte === 0x2e) afterPoint = true;
    else if (byte < 0x30 || byte > 0x39) break;
    else {
      if (afterPoint) places++;
      if (digits > 0 || byte !== 0x30) digits++;
    }
  }
  if (digits > 15 || places > 200) return false;
  if (p === end) return true;
  p++;
  const sign = load<u8>(p);
  if (sign === 0x2b || sign === 0x2d) p++;
  // Up to 99 in either direction.
  return end - p <= 2;
}

/**
 * Returns whether a number fits a double, by its source text. Numbers come in order, each after all before it; if
 * several schemas read a value, they come again from its first one on.
 */
export function isHeld(start: usize, end: usize): bool {
  // The call to JavaScript takes as long as reading hundreds of bytes, and no count of steps includes it.
  if (start <= lastHeld || isShort(start, end)) return true;
  if (isLossy(<i32>(start - TEXT), <i32>(end - TEXT))) return false;
  lastHeld = start;
  return true;
}
