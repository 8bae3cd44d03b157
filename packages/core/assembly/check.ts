import { closeObject, isNewKey, openObject, resetKeys } from "./keys";
import { MAX_LEVELS, RESULT, STACK, TEXT } from "./layout";
import { isShort, lastExponent, resetNumbers, skipNumber } from "./number";
import { skipSpace } from "./space";
import { lastEscape, resetStrings, skipString } from "./string";

/** Whether a double does not hold the number in the text's bytes from `start` to `end`. */
declare function isLossy(start: i32, end: i32): bool;

const KEYS: i32 = 1;
const NUMBERS: i32 = 2;

/** In a frame: 1 for an object, 0 for an array. */
const KIND: usize = 12;

/** The address behind `true`, `false` or `null`, or 0. */
function skipLiteral(p: usize): usize {
  const word = load<u32>(p);
  if (word === 0x65757274 || word === 0x6c6c756e) return p + 4;
  return word === 0x736c6166 && load<u8>(p, 4) === 0x65 ? p + 5 : 0;
}

/**
 * Checks the text of `size` bytes by the grammar of RFC 8259, as UTF-8, and by what `wanted` asks
 * for: that no object has a key twice, that a double holds every number.
 * @returns whether all of that holds for certain; then start, end, depth and number of keys are at
 * RESULT
 */
export function check(size: i32, maxDepth: i32, wanted: i32): bool {
  const end = TEXT + <usize>size;
  const wantsKeys = (wanted & KEYS) !== 0;
  const wantsNumbers = (wanted & NUMBERS) !== 0;
  resetKeys(size);
  resetNumbers();
  resetStrings();
  const limit = maxDepth < MAX_LEVELS ? maxDepth : MAX_LEVELS - 1;
  let p = skipSpace(TEXT);
  store<u32>(RESULT, <u32>(p - TEXT));
  let frame = STACK;
  let level = 0;
  let depth = 0;
  let keys = 0;
  let inObject = false;
  while (true) {
    if (inObject) {
      if (load<u8>(p) !== 0x22) return false;
      const start = p + 1;
      p = skipString(start);
      if (p === 0) return false;
      keys++;
      if (wantsKeys && !isNewKey(frame, start, p - 1, lastEscape >= start)) return false;
      p = skipSpace(p);
      if (load<u8>(p) !== 0x3a) return false;
      p = skipSpace(p + 1);
    }
    const byte = load<u8>(p);
    // '[' and '{' differ in one bit, and so do the brackets that close them.
    if ((byte | 0x20) === 0x7b) {
      level++;
      frame += 16;
      if (level > depth) {
        depth = level;
        if (level > limit) return false;
      }
      inObject = byte === 0x7b;
      store<u32>(frame, <u32>inObject, KIND);
      if (inObject && wantsKeys) openObject(frame);
      p = skipSpace(p + 1);
      if (load<u8>(p) !== byte + 2) continue;
    } else {
      const start = p;
      if (byte === 0x22) {
        p = skipString(p + 1);
      } else if (byte < 0x3a) {
        p = skipNumber(p);
        if (wantsNumbers && p !== 0 && (p - start > 15 || lastExponent >= start)) {
          if (!isShort(start, p) && isLossy(<i32>(start - TEXT), <i32>(p - TEXT))) return false;
        }
      } else {
        p = skipLiteral(p);
      }
      if (p === 0) return false;
      if (level >= depth) {
        depth = level + 1;
        if (depth > limit) return false;
      }
      if (level > 0) p = skipSpace(p);
    }
    // Behind a value, or at the end of an empty container.
    while (true) {
      if (level === 0) {
        store<u32>(RESULT, <u32>(p - TEXT), 4);
        store<u32>(RESULT, depth, 8);
        store<u32>(RESULT, keys, 12);
        return skipSpace(p) === end;
      }
      const next = load<u8>(p);
      if (next === 0x2c) {
        p = skipSpace(p + 1);
        break;
      }
      if (next !== (inObject ? 0x7d : 0x5d)) return false;
      if (inObject && wantsKeys) closeObject(frame);
      level--;
      frame -= 16;
      inObject = level > 0 && load<u32>(frame, KIND) !== 0;
      p = level > 0 ? skipSpace(p + 1) : p + 1;
    }
  }
}
