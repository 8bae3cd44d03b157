/** A place in a text, counted as in editors: from 1, with columns in UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns how many UTF-16 code units a character has, given the first byte of its UTF-8; 0 for bytes that do not
 * start a character.
 */
function unitsOf(byte: number): number {
  if (byte < 0x80 || (byte >= 0xc0 && byte < 0xf0)) return 1;
  return byte < 0xc0 ? 0 : 2;
}

/** Returns the line and column of each byte offset in a UTF-8 text, in one pass. Lines end with LF. */
export function positionsOf(
  bytes: Uint8Array,
  offsets: Iterable<number>,
): ReadonlyMap<number, TextPosition> {
  const positions = new Map<number, TextPosition>();
  let line = 1;
  let column = 1;
  let at = 0;
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    for (; at < offset && at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === 0x0a) {
        line++;
        column = 1;
      } else column += unitsOf(byte);
    }
    positions.set(offset, { line, column });
  }
  return positions;
}
