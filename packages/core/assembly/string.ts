import { TEXT } from "./layout";

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;

/** The place of the last backslash that a string contained, in this text. */
export let lastEscape: usize = 0;

export function resetStrings(): void {
  lastEscape = 0;
}

/** Returns the length of the UTF-8 sequence at `p` (RFC 3629, section 4), or 0 if it is malformed. */
function sequence(p: usize): usize {
  const lead = load<u8>(p);
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = load<u8>(p, 1);
  if (lead < 0xe0) return (second & 0xc0) === 0x80 ? 2 : 0;
  const low: u8 = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high: u8 = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  if ((load<u8>(p, 2) & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) return 3;
  return (load<u8>(p, 3) & 0xc0) === 0x80 ? 4 : 0;
}

function isHex(byte: u8): bool {
  return byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 6;
}

/** Returns the length of the escape at `p` (RFC 8259, section 7), or 0 if it is invalid. */
function escapeLength(p: usize): usize {
  const letter = load<u8>(p, 1);
  if (letter === 0x75) {
    const digits = isHex(load<u8>(p, 2)) && isHex(load<u8>(p, 3));
    return digits && isHex(load<u8>(p, 4)) && isHex(load<u8>(p, 5)) ? 6 : 0;
  }
  switch (letter) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    default:
      return 0;
  }
}

/** Where {@link skipString} found a fault last. */
export let faultAt: usize = 0;

/** Reads a string from after its opening quote. Returns the address after its closing one, or 0. */
export function skipString(start: usize): usize {
  const quoteByte = i8x16.splat(0x22);
  const backslashByte = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let p = start;
  while (true) {
    const chunk = v128.load(p);
    // As signed numbers, control characters and everything that is not ASCII are less than a space.
    const special = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(chunk, quoteByte), i8x16.eq(chunk, backslashByte)),
        i8x16.lt_s(chunk, space),
      ),
    );
    if (special === 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz(special);
    let byte = load<u8>(p);
    if (byte === QUOTE) return p + 1;
    if (byte === BACKSLASH) {
      lastEscape = p;
      const length = escapeLength(p);
      if (length === 0) {
        faultAt = p;
        return 0;
      }
      p += length;
    } else {
      do {
        const length = sequence(p);
        if (length === 0) {
          faultAt = p;
          return 0;
        }
        p += length;
        byte = load<u8>(p);
      } while (byte >= 0x80);
    }
  }
}

/** Where {@link skipQuoted} stopped without a closing quote: at the end, or after an escape that crosses it. */
let stopped: usize = 0;

/** The even bits of a block of 16 bytes, and of the byte after it. */
const EVEN: u32 = 0x15555;

/**
 * Reads a string like {@link skipString}, without checking what is between its quotes.
 * @returns the address after its closing quote, or 0 if there is none before `end`
 */
export function skipQuoted(start: usize, end: usize): usize {
  const quoteByte = i8x16.splat(0x22);
  const backslashByte = i8x16.splat(0x5c);
  /** Whether the block's first byte is escaped. */
  let carry: u32 = 0;
  stopped = start;
  for (let p = start; p < end; p += 16) {
    const chunk = v128.load(p);
    let quotes = <u32>i8x16.bitmask(i8x16.eq(chunk, quoteByte));
    let backslashes = <u32>i8x16.bitmask(i8x16.eq(chunk, backslashByte));
    let escaped: u32 = 0;
    if ((backslashes | carry) !== 0) {
      // Finds bytes after an odd number of backslashes, by the carry of an addition through each run.
      backslashes &= ~carry;
      const follows = (backslashes << 1) | carry;
      const oddStarts = backslashes & ~EVEN & ~follows;
      escaped = (EVEN ^ ((oddStarts + backslashes) << 1)) & follows;
      quotes &= ~escaped;
    }
    if (quotes !== 0) {
      const at = p + <usize>ctz(quotes);
      if (at < end) return at + 1;
    }
    carry = (escaped >> 16) & 1;
    if (p + 16 >= end) stopped = end + <usize>((escaped >> <u32>(end - p)) & 1);
  }
  return 0;
}

/**
 * Continues a string at offset `from` of the text of `size` bytes.
 * @returns the offset after its closing quote; if that is missing, the complement of the offset at which the string
 *   continues, which is one after the text if its last byte begins an escape
 */
export function endQuoted(from: i32, size: i32): i32 {
  const behind = skipQuoted(TEXT + <usize>from, TEXT + <usize>size);
  return behind === 0 ? ~(<i32>(stopped - TEXT)) : <i32>(behind - TEXT);
}

function hexAt(p: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = <u32>load<u8>(p + i);
    value = (value << 4) | ((byte & 0xf) + (byte >> 6) * 9);
  }
  return value;
}

/** How many bytes of the text {@link readEscape} read. */
export let unescaped: usize = 0;

/** Returns the code point of the valid escape at `p`; possibly a lone surrogate. */
export function readEscape(p: usize): u32 {
  const letter = load<u8>(p, 1);
  unescaped = 2;
  switch (letter) {
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    case 0x75:
      break;
    default:
      return letter;
  }
  unescaped = 6;
  const unit = hexAt(p + 2);
  if (unit >> 10 !== 0x36 || load<u16>(p, 6) !== 0x755c) return unit;
  const second = hexAt(p + 8);
  if (second >> 10 !== 0x37) return unit;
  unescaped = 12;
  return 0x10000 + ((unit & 0x3ff) << 10) + (second & 0x3ff);
}
