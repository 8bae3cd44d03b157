import { RESULT, TEXT } from "./layout";
import { find, mayStandFor } from "./planned";
import { skipScalar } from "./skip";
import { isGap, skipSpace } from "./space";
import { faultAt, lastEscape, resetStrings, skipQuoted, skipString } from "./string";
import { begin, nesting, walk } from "./structure";

/** Longer keys are neither checked nor compared, as in "src/json/locate.ts". */
const KEY_BYTES: usize = 1024;

/** Returns the address after the key whose content begins at `start`, or 0 if it has a fault or no end. */
function skipKey(start: usize, end: usize): usize {
  const behind = skipString(start);
  if (behind !== 0) return behind <= end ? behind : 0;
  // An escape or a character may be cut off at the end of what is checked.
  return faultAt > start + KEY_BYTES - 6 && faultAt < end ? skipQuoted(start, end) : 0;
}

/**
 * Passes the members of an object that are not planned, from the opening quote of a key at offset `from` of the text of
 * `size` bytes, which may be cut off. Checks no more of them than `locate` does.
 * @param node what is planned in the object
 * @param most how many members to pass
 * @returns the offset of the key that follows the last passed member, or `from` if none was passed; then the number of
 *   passed members and the depth of the deepest value among them (1 is a scalar) are at RESULT
 */
export function pass(from: i32, size: i32, node: usize, most: u32): i32 {
  const end = TEXT + <usize>size;
  resetStrings();
  let key = TEXT + <usize>from;
  let passed: u32 = 0;
  let depth = 1;
  while (passed < most && load<u8>(key) === 0x22) {
    const start = key + 1;
    let p = skipKey(start, end);
    if (p === 0) break;
    const last = p - 1;
    if (lastEscape >= start ? mayStandFor(node, start, last) : find(node, start, last) !== 0) break;
    if (isGap(p)) p = skipSpace(p);
    if (load<u8>(p) !== 0x3a) break;
    p++;
    if (isGap(p)) p = skipSpace(p);

    const byte = load<u8>(p);
    let levels = 1;
    if (byte === 0x22) {
      p = skipQuoted(p + 1, end);
      if (p === 0) break;
    } else if ((byte | 0x20) === 0x7b) {
      begin();
      const behind = walk(<i32>(p - TEXT), size);
      if (behind < 0) break;
      p = TEXT + <usize>behind;
      levels = nesting();
    } else {
      const value = p;
      p = skipScalar(p);
      if (p === value) break;
    }
    if (isGap(p)) p = skipSpace(p);
    if (load<u8>(p) !== 0x2c) break;
    p++;
    if (isGap(p)) p = skipSpace(p);
    if (load<u8>(p) !== 0x22) break;
    key = p;
    passed++;
    if (levels > depth) depth = levels;
  }
  store<u32>(RESULT, passed);
  store<u32>(RESULT, depth, 4);
  return <i32>(key - TEXT);
}
