function isSpace(byte: u8): bool {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpaces(start: usize): usize {
  let p = start + 1;
  if (!isSpace(load<u8>(p))) return p;
  while (true) {
    const chunk = v128.load(p);
    const spaces = v128.or(
      v128.or(i8x16.eq(chunk, i8x16.splat(0x20)), i8x16.eq(chunk, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(chunk, i8x16.splat(0x0d)), i8x16.eq(chunk, i8x16.splat(0x09))),
    );
    const count = ctz(~i8x16.bitmask(spaces));
    p += <usize>count;
    if (count < 16) return p;
  }
}

/** Returns whether there may be white space at `p`. Usually there is none between tokens, and no call is needed. */
export function isGap(p: usize): bool {
  return load<u8>(p) <= 0x20;
}

/** Returns the address of the first byte from `p` on that is not white space (RFC 8259, section 2). */
export function skipSpace(p: usize): usize {
  return isSpace(load<u8>(p)) ? skipSpaces(p) : p;
}
