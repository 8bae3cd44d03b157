import { TEXT } from "./layout";

/**
 * Skips the letters, digits, `+` and `/` of base64 (RFC 4648, section 4) from the offset `from` on, in the text of
 * `size` bytes.
 * @returns the offset of the first other byte
 */
export function endBase64(from: i32, size: i32): i32 {
  const end = TEXT + <usize>size;
  let p = TEXT + <usize>from;
  while (p < end) {
    const chunk = v128.load(p);
    const lower = v128.or(chunk, i8x16.splat(0x20));
    const letters = i8x16.le_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(25));
    const digits = i8x16.le_u(i8x16.sub(chunk, i8x16.splat(0x30)), i8x16.splat(9));
    const signs = v128.or(i8x16.eq(chunk, i8x16.splat(0x2b)), i8x16.eq(chunk, i8x16.splat(0x2f)));
    const known = i8x16.bitmask(v128.or(v128.or(letters, digits), signs));
    if (known !== 0xffff) {
      p += <usize>ctz(~known);
      break;
    }
    p += 16;
  }
  return <i32>(min(p, end) - TEXT);
}
