import { MINUS, NINE, PLUS, POINT, ZERO } from "../bytes.ts";

/** Where in a number (RFC 8259, section 6) the reader stands: behind what the name says. */
export const AT = {
  start: 0,
  minus: 1,
  zero: 2,
  integer: 3,
  point: 4,
  fraction: 5,
  e: 6,
  sign: 7,
  exponent: 8,
} as const;

/** The number ended before the byte. */
export const ENDED = -1;
/** A digit is missing where the byte stands. */
export const FAULTY = -2;

/** Where the reader stands behind the next byte, or {@link ENDED}, or {@link FAULTY}. */
export function nextInNumber(at: number, byte: number): number {
  const isDigit = byte >= ZERO && byte <= NINE;
  const isE = (byte | 0x20) === 0x65;
  switch (at) {
    case AT.start:
    case AT.minus:
      if (at === AT.start && byte === MINUS) return AT.minus;
      return !isDigit ? FAULTY : byte === ZERO ? AT.zero : AT.integer;
    case AT.zero:
      return byte === POINT ? AT.point : isE ? AT.e : ENDED;
    case AT.integer:
      return isDigit ? at : byte === POINT ? AT.point : isE ? AT.e : ENDED;
    case AT.point:
      return isDigit ? AT.fraction : FAULTY;
    case AT.fraction:
      return isDigit ? at : isE ? AT.e : ENDED;
    case AT.e:
      if (byte === PLUS || byte === MINUS) return AT.sign;
      return isDigit ? AT.exponent : FAULTY;
    case AT.sign:
      return isDigit ? AT.exponent : FAULTY;
    default:
      return isDigit ? at : ENDED;
  }
}

/** Whether the text may end there. */
export function isWholeNumber(at: number): boolean {
  return at === AT.zero || at === AT.integer || at === AT.fraction || at === AT.exponent;
}
