import { closeObject, isNewKey, openObject, resetKeys } from "./keys";
import { FOUND, MAX_LEVELS, PLAN_STACK, RESULT, STACK, TEXT } from "./layout";
import { isShort, lastExponent, resetNumbers, skipNumber } from "./number";
import { FRAME, FRAME_ENTRY, FRAME_NODE, FRAME_START, find, INSIDE, NUMBER } from "./planned";
import { isGap, skipSpace } from "./space";
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

/** Notes where the member ends whose value is read, if it is planned. @returns where to note the next */
function located(found: usize, planned: usize, end: usize): usize {
  const entry = <usize>load<u32>(planned, FRAME_ENTRY);
  if (entry === 0) return found;
  store<u32>(found, load<u32>(entry, NUMBER));
  store<u32>(found, load<u32>(planned, FRAME_START), 4);
  store<u32>(found, <u32>(end - TEXT), 8);
  return found + 12;
}

/**
 * Checks the text of `size` bytes by the grammar of RFC 8259, as UTF-8, and by what `wanted` asks
 * for: that no object has a key twice, that a double holds every number. On the way it locates the
 * members of a plan, or of none where `plan` is 0.
 * @returns whether all of that holds for certain; then start, end, depth, number of keys and number
 * of located members are at RESULT, and those members at FOUND as "planned.ts" says. Where an object
 * in which members are planned has a key with an escape or may have one twice, that number is -1.
 */
export function check(size: i32, maxDepth: i32, wanted: i32, plan: usize): bool {
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
  // The open objects in which members are planned are the outermost ones, level by level.
  let planned = PLAN_STACK;
  let plannedLevel = plan === 0 ? -1 : 0;
  let node = plan;
  let found = FOUND;
  while (true) {
    if (inObject) {
      if (load<u8>(p) !== 0x22) return false;
      const start = p + 1;
      p = skipString(start);
      if (p === 0) return false;
      keys++;
      const escaped = lastEscape >= start;
      const isPlanned = level === plannedLevel;
      if (wantsKeys || isPlanned) {
        if (!isNewKey(frame, start, p - 1, escaped)) {
          if (wantsKeys) return false;
          plannedLevel = -1;
        }
      }
      const end = p - 1;
      if (isGap(p)) p = skipSpace(p);
      if (load<u8>(p) !== 0x3a) return false;
      p++;
      if (isGap(p)) p = skipSpace(p);
      if (isPlanned) {
        if (escaped) plannedLevel = -1;
        const entry = find(<usize>load<u32>(planned, FRAME_NODE), start, end);
        node = entry === 0 ? 0 : <usize>load<u32>(entry, INSIDE);
        store<u32>(planned, <u32>entry, FRAME_ENTRY);
        store<u32>(planned, <u32>(p - TEXT), FRAME_START);
      }
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
      if (inObject) {
        const isPlanned = node !== 0 && level === plannedLevel + 1;
        if (wantsKeys || isPlanned) openObject(frame);
        if (isPlanned) {
          plannedLevel = level;
          planned += FRAME;
          store<u32>(planned, <u32>node, FRAME_NODE);
          store<u32>(planned, 0, FRAME_ENTRY);
        }
      }
      p++;
      if (isGap(p)) p = skipSpace(p);
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
      if (level > 0) {
        if (level === plannedLevel) found = located(found, planned, p);
        if (isGap(p)) p = skipSpace(p);
      }
    }
    // Behind a value, or at the end of an empty container.
    while (true) {
      if (level === 0) {
        store<u32>(RESULT, <u32>(p - TEXT), 4);
        store<u32>(RESULT, depth, 8);
        store<u32>(RESULT, keys, 12);
        store<i32>(RESULT, plannedLevel < 0 ? -1 : <i32>((found - FOUND) / 12), 16);
        return skipSpace(p) === end;
      }
      const next = load<u8>(p);
      if (next === 0x2c) {
        p++;
        if (isGap(p)) p = skipSpace(p);
        break;
      }
      if (next !== (inObject ? 0x7d : 0x5d)) return false;
      if (inObject && (wantsKeys || level === plannedLevel)) closeObject(frame);
      if (level === plannedLevel) {
        plannedLevel--;
        planned -= FRAME;
      }
      level--;
      frame -= 16;
      if (level > 0 && level === plannedLevel) found = located(found, planned, p + 1);
      inObject = level > 0 && load<u32>(frame, KIND) !== 0;
      p++;
      if (level > 0 && isGap(p)) p = skipSpace(p);
    }
  }
}
