import { at, base, giveUp, holds, spend, UNKNOWN } from "./accept-state";
import { isKnown } from "./accept-unread";
import { decimal, isPlain, isRead, readNumber } from "./decimal";
import {
  CONST,
  ENUM,
  EXCLUSIVE_MAXIMUM,
  EXCLUSIVE_MINIMUM,
  INTEGER,
  LIST_HEADER_SIZE,
  MAX_LENGTH,
  MAXIMUM,
  MIN_LENGTH,
  MINIMUM,
  MULTIPLE_OF,
  NUMBER,
  STRING,
  VALUE,
  VALUE_KIND,
  VALUE_LENGTH,
  VALUE_SIZE,
} from "./image";
import { isHeld, MAX_SHORT, skipNumber } from "./number";
import { isSame } from "./same";
import { lastEscape, readEscape, resetStrings, skipString, unescaped } from "./string";

/** Up to here every integer is a double. */
const MAX_SAFE: f64 = 9007199254740991;

/** Returns whether the last number is of an allowed kind. */
function allowsNumber(allowed: u32): i32 {
  if (allowed === NUMBER) return 1;
  if (isPlain) return <i32>(allowed === INTEGER);
  if (!isRead) return UNKNOWN;
  return <i32>(allowed === INTEGER && Math.floor(decimal) === decimal);
}

/** Returns whether the last number satisfies a node's keywords for numbers. */
function judgeRange(node: usize): i32 {
  if (!isRead) return UNKNOWN;
  if (decimal < load<f64>(node, MINIMUM) || decimal > load<f64>(node, MAXIMUM)) return 0;
  if (decimal <= load<f64>(node, EXCLUSIVE_MINIMUM)) return 0;
  if (decimal >= load<f64>(node, EXCLUSIVE_MAXIMUM)) return 0;
  const divisor = load<u32>(node, MULTIPLE_OF);
  if (divisor === 0) return 1;
  if (Math.floor(decimal) !== decimal) return 0;
  // Beyond this, the checked decimal is not the same number as its double.
  if (Math.abs(decimal) > MAX_SAFE) return UNKNOWN;
  return <i32>(<i64>decimal % <i64>divisor === 0);
}

/** Returns the number of code points in the string from `start` to `end`; a lone surrogate counts as one. */
function codePoints(start: usize, end: usize): u32 {
  let count: u32 = 0;
  let p = start;
  while (p < end) {
    const byte = load<u8>(p);
    if (byte === 0x5c) {
      readEscape(p);
      p += unescaped;
      count++;
    } else {
      if ((byte & 0xc0) !== 0x80) count++;
      p++;
    }
  }
  return count;
}

/** Returns whether the string from `start` to `end` satisfies a node's keywords for length. */
function judgeLength(node: usize, start: usize, end: usize, escaped: bool): i32 {
  const least = load<u32>(node, MIN_LENGTH);
  const most = load<u32>(node, MAX_LENGTH);
  const bytes = <u32>(end - start);
  // A code point takes one to four bytes, and up to twelve if it is escaped.
  if (bytes <= most && least <= (bytes + 11) / 12) return 1;
  if (bytes <= most && !escaped && least <= (bytes + 3) / 4) return 1;
  const count = codePoints(start, end);
  return <i32>(count >= least && count <= most);
}

/**
 * Returns whether the scalar of a kind from `start` to `end` (for a number, the last one read) is in a list of
 * values.
 */
function isAmong(list: usize, kind: u32, start: usize, end: usize): i32 {
  const last = list + LIST_HEADER_SIZE + <usize>load<u32>(list) * VALUE_SIZE;
  const length = <u32>(end - start);
  if ((kind & NUMBER) !== 0 && !isRead) return UNKNOWN;
  for (let value = list + LIST_HEADER_SIZE; value < last; value += VALUE_SIZE) {
    if (load<u32>(value, VALUE_KIND) !== kind) continue;
    if (kind === STRING) {
      // Compares both texts from after the opening quote up to and including the closing quote.
      if (load<u32>(value, VALUE_LENGTH) !== length - 1) continue;
      spend(<i32>(length >> 3));
      if (isSame(base + <usize>load<u32>(value, VALUE), start + 1, length - 1)) return 1;
    } else if ((kind & NUMBER) !== 0) {
      if (load<f64>(value, VALUE) === decimal) return 1;
    } else if (load<u8>(value, VALUE) === load<u8>(start)) {
      return 1;
    }
  }
  return 0;
}

/** Returns whether `enum` and `const` allow a scalar. */
export function judgeEquality(node: usize, kind: u32, start: usize, end: usize): bool {
  const values = at(node, ENUM);
  if (values !== 0) {
    spend(load<i32>(values));
    if (!holds(isAmong(values, kind, start, end))) return false;
  }
  const constant = at(node, CONST);
  return constant === 0 || holds(isAmong(constant, kind, start, end));
}

/** Returns the address after the string at `start` if it satisfies a node's keywords, or 0. */
export function judgeString(node: usize, isJudged: bool, start: usize): usize {
  resetStrings();
  const end = skipString(start + 1);
  if (end === 0) return giveUp();
  const escaped = lastEscape !== 0;
  spend(<i32>((end - start) >> (isJudged ? 1 : 2)));
  if (!isJudged) return end;
  if ((load<u32>(node, ENUM) | load<u32>(node, CONST)) !== 0) {
    if (escaped) return giveUp();
    if (!judgeEquality(node, STRING, start, end)) return 0;
  }
  return holds(judgeLength(node, start + 1, end - 1, escaped)) ? end : 0;
}

/** Returns the address after the number at `start` if it satisfies a node's keywords, or 0. */
export function judgeNumber(node: usize, allowed: u32, isJudged: bool, start: usize): usize {
  const end = readNumber(start);
  if (!isKnown && (!isRead || end - start > MAX_SHORT)) {
    if (skipNumber(start) !== end || !isHeld(start, end)) return giveUp();
  }
  spend(<i32>((end - start) >> 2));
  if (!holds(allowsNumber(allowed))) return 0;
  if (!isJudged) return end;
  if (!judgeEquality(node, INTEGER, start, end)) return 0;
  return holds(judgeRange(node)) ? end : 0;
}
