import { TEXT } from "./layout";
import { skipQuoted, skipString } from "./string";

/** No text ends after this address. */
const ANYWHERE: usize = 0xffffff00;

/** Returns the address after a number or a literal, without checking it; `start` if there is none. */
export function skipScalar(start: usize): usize {
  let p = start;
  for (let byte = load<u8>(p); byte > 0x20 && byte !== 0x2c && (byte | 0x20) !== 0x7d; ) {
    byte = load<u8>(++p);
  }
  return p;
}

/**
 * Continues a number or a literal at offset `from` of the text of `size` bytes, without checking it.
 * @returns the offset after it, which is `size` if it may continue after the text
 */
export function endScalar(from: i32, size: i32): i32 {
  const end = TEXT + <usize>size;
  let p = TEXT + <usize>from;
  while (p < end) {
    const chunk = v128.load(p);
    const closes = i8x16.eq(v128.or(chunk, i8x16.splat(0x20)), i8x16.splat(0x7d));
    const gaps = v128.or(i8x16.le_u(chunk, i8x16.splat(0x20)), i8x16.eq(chunk, i8x16.splat(0x2c)));
    const ends = i8x16.bitmask(v128.or(closes, gaps));
    if (ends !== 0) {
      p += <usize>ctz(ends);
      break;
    }
    p += 16;
  }
  return <i32>(min(p, end) - TEXT);
}

/** Returns the address after `true`, `false` or `null`, or 0. */
export function skipLiteral(p: usize): usize {
  const word = load<u32>(p);
  if (word === 0x65757274 || word === 0x6c6c756e) return p + 4;
  return word === 0x736c6166 && load<u8>(p, 4) === 0x65 ? p + 5 : 0;
}

/** Returns the address after the container that begins at `start`, in a text that is known to be JSON. */
function skipContainer(start: usize): usize {
  const quoteByte = i8x16.splat(0x22);
  const caseBit = i8x16.splat(0x20);
  const openByte = i8x16.splat(0x7b);
  const closeByte = i8x16.splat(0x7d);
  let level = 0;
  let p = start;
  while (true) {
    const chunk = v128.load(p);
    // '[' and '{' differ in one bit, and so do the brackets that close them.
    const brackets = v128.or(chunk, caseBit);
    const closes = i8x16.eq(brackets, closeByte);
    const found = v128.or(
      v128.or(i8x16.eq(chunk, quoteByte), closes),
      v128.or(i8x16.eq(brackets, openByte), i8x16.eq(chunk, i8x16.splat(0))),
    );
    const special = i8x16.bitmask(found);
    if (special === 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz(special);
    const byte = load<u8>(p);
    if (byte === 0) return 0;
    if (byte === 0x22) {
      p = skipQuoted(p + 1, ANYWHERE);
      if (p === 0) return 0;
      continue;
    }
    p++;
    level += (byte | 0x20) === 0x7b ? 1 : -1;
    if (level === 0) return p;
  }
}

/**
 * Returns the address after the value at `p`, in a text that is known to be JSON. For other texts, the result may be 0.
 */
export function skipValue(p: usize): usize {
  const byte = load<u8>(p);
  if ((byte | 0x20) === 0x7b) return skipContainer(p);
  if (byte === 0x22) return skipString(p + 1);
  const end = skipScalar(p);
  return end === p ? 0 : end;
}
