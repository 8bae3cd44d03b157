import { TEXT } from "./layout";

// The state of a walk from an opening bracket to its closing one, over several windows of the text.
let inString: u64 = 0;
let escaping: u64 = 0;
let level: i32 = 0;
/** The deepest level of brackets so far. */
let deepest: i32 = 0;
/** Whether one of the deepest containers has content. */
let filled: bool = false;
/** Whether that is still unknown for the last container, which the next byte decides. */
let peeking: bool = false;

/** Begins a walk; the next byte is an opening bracket. */
export function begin(): void {
  inString = 0;
  escaping = 0;
  level = 0;
  deepest = 0;
  filled = false;
  peeking = false;
}

/** Returns the container's depth: 1 if it is empty, 2 if it contains scalars. */
export function nesting(): i32 {
  return filled ? deepest + 1 : deepest;
}

function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u64>(<u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16)));
  const high = <u64>(<u32>(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16)));
  return low | (high << 32);
}

/** Checks what follows an opening bracket, from `at` on. */
function peek(at: usize, end: usize): void {
  let p = at;
  while (p < end) {
    const byte = load<u8>(p);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
      filled = (byte | 0x20) !== 0x7d;
      peeking = false;
      return;
    }
    p++;
  }
  peeking = true;
}

/**
 * Continues the walk in the text's bytes from `from` to `size`: whole blocks of 64 bytes, unless the text ends there.
 * @returns the offset after the closing bracket, or -1 if the text ends before it
 */
export function walk(from: i32, size: i32): i32 {
  const quoteByte = i8x16.splat(0x22);
  const backslashByte = i8x16.splat(0x5c);
  const caseBit = i8x16.splat(0x20);
  const openByte = i8x16.splat(0x7b);
  const closeByte = i8x16.splat(0x7d);
  const end = TEXT + <usize>size;
  let quoted = inString;
  let carry = escaping;
  let depth = level;
  if (peeking) peek(TEXT + <usize>from, end);
  for (let i = from; i < size; i += 64) {
    const p = TEXT + <usize>i;
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    let quotes = bits(
      i8x16.eq(a, quoteByte),
      i8x16.eq(b, quoteByte),
      i8x16.eq(c, quoteByte),
      i8x16.eq(d, quoteByte),
    );
    let backslashes = bits(
      i8x16.eq(a, backslashByte),
      i8x16.eq(b, backslashByte),
      i8x16.eq(c, backslashByte),
      i8x16.eq(d, backslashByte),
    );
    if ((backslashes | carry) !== 0) {
      // Finds bytes after an odd number of backslashes, by the carry of an addition through each run.
      const even: u64 = ((<u64>0x55555555) << 32) | 0x55555555;
      backslashes &= ~carry;
      const follows = (backslashes << 1) | carry;
      const oddStarts = backslashes & ~even & ~follows;
      const sums = oddStarts + backslashes;
      carry = <u64>(sums < backslashes);
      quotes &= ~((even ^ (sums << 1)) & follows);
    }
    let inside = quoted;
    if (quotes !== 0) {
      // Every bit becomes the parity of the quotes up to it.
      inside = quotes;
      inside ^= inside << 1;
      inside ^= inside << 2;
      inside ^= inside << 4;
      inside ^= inside << 8;
      inside ^= inside << 16;
      inside ^= inside << 32;
      inside ^= quoted;
      quoted = <u64>(<i64>inside >> 63);
    } else if (quoted !== 0) {
      continue;
    }
    // '[' and '{' differ in one bit, and so do the brackets that close them.
    const a1 = v128.or(a, caseBit);
    const b1 = v128.or(b, caseBit);
    const c1 = v128.or(c, caseBit);
    const d1 = v128.or(d, caseBit);
    const opens =
      ~inside &
      bits(
        i8x16.eq(a1, openByte),
        i8x16.eq(b1, openByte),
        i8x16.eq(c1, openByte),
        i8x16.eq(d1, openByte),
      );
    const closes =
      ~inside &
      bits(
        i8x16.eq(a1, closeByte),
        i8x16.eq(b1, closeByte),
        i8x16.eq(c1, closeByte),
        i8x16.eq(d1, closeByte),
      );
    const up = <i32>popcnt(opens);
    const down = <i32>popcnt(closes);
    // Neither the last bracket nor a new deepest level can be in this block.
    if (depth > down && depth + up < deepest + <i32>filled) {
      depth += up - down;
      continue;
    }
    let brackets = opens | closes;
    while (brackets !== 0) {
      const bit = ctz(brackets);
      brackets &= brackets - 1;
      if (((opens >> bit) & 1) !== 0) {
        depth++;
        if (depth > deepest) {
          deepest = depth;
          filled = false;
        }
        if (depth === deepest && !filled) peek(p + <usize>bit + 1, end);
      } else if (--depth === 0) {
        return i + <i32>bit + 1;
      }
    }
  }
  inString = quoted;
  escaping = carry;
  level = depth;
  return -1;
}
