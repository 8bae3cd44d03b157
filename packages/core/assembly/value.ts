import { closeObject, isNewKey, openKeys, openObject } from "./keys";
import { FOUND, MAX_LEVELS, PLAN_STACK, STACK, TEXT } from "./layout";
import { isHeld, lastExponent, MAX_SHORT, skipNumber } from "./number";
import { FRAME, FRAME_ENTRY, FRAME_NODE, FRAME_START, find, INSIDE, NUMBER } from "./planned";
import { skipLiteral } from "./skip";
import { isGap, skipSpace } from "./space";
import { lastEscape, skipString } from "./string";

/** What is requested: no duplicate keys, every number fits a double. */
export const KEYS: i32 = 1;
export const NUMBERS: i32 = 2;

/** The deepest that a check may go. */
export const MOST_LEVELS: i32 = MAX_LEVELS - 1;

/** In a frame: 1 for an object, 0 for an array. */
const KIND: usize = 12;

/** The result of the last {@link checkValue}: its deepest level, and its number of keys. */
export let depth: i32 = 0;
export let keys: i32 = 0;
/** The address after the located members, or 0 if they cannot be determined. */
export let found: usize = 0;

/** Most keys of one object, and of the whole text. */
let mostObjectKeys: u32 = 0xffffffff;
let mostKeys: u32 = 0xffffffff;
/** The address of the key with which the last {@link checkValue} exceeded one of these limits, or 0. */
export let overKeys: usize = 0;
/** Whether that was the limit of one object. */
export let overObject: bool = false;

export function setKeyLimits(object: u32, text: u32): void {
  mostObjectKeys = object;
  mostKeys = text;
  overKeys = 0;
}

/** A value that was checked already: where it starts and ends, its depth and its number of keys. */
let hole: usize = 0;
let holeEnd: usize = 0;
let holeDepth: i32 = 0;
let holeKeys: i32 = 0;
/** The address after that value if the last check reached it, or 0. */
export let behindHole: usize = 0;

export function setHole(at: usize, end: usize, levels: i32, count: i32): void {
  // One of the objects in the range may have too many keys. If so, the range is checked like the rest of the text.
  if (<u32>count > mostObjectKeys) {
    setHole(0, 0, 0, 0);
    return;
  }
  hole = at;
  holeEnd = end;
  holeDepth = levels;
  holeKeys = count;
  behindHole = 0;
}

/** Notes where a planned member ends whose value was read. @returns where to note the next */
function located(next: usize, planned: usize, end: usize): usize {
  const entry = <usize>load<u32>(planned, FRAME_ENTRY);
  if (entry === 0) return next;
  store<u32>(next, load<u32>(entry, NUMBER));
  store<u32>(next, load<u32>(planned, FRAME_START), 4);
  store<u32>(next, <u32>(end - TEXT), 8);
  return next + 12;
}

/**
 * Checks the value that begins at `from` by the grammar of RFC 8259, as UTF-8, and by what `wanted` asks for; skips
 * the hole. Also locates the members of a plan (none if `plan` is 0).
 * @param outer how many containers are open around it; `limit` counts them too
 * @returns the address after it, or 0 if any of that fails or cannot be decided
 */
export function checkValue(from: usize, outer: i32, limit: i32, wanted: i32, plan: usize): usize {
  const wantsKeys = (wanted & KEYS) !== 0;
  const wantsNumbers = (wanted & NUMBERS) !== 0;
  const skipped = hole;
  let p = from;
  let frame = STACK + ((<usize>outer) << 4);
  let level = outer;
  let deepest = 0;
  let count = 0;
  let inObject = false;
  // The open objects in which members are planned are the outermost ones, level by level.
  let planned = PLAN_STACK;
  let plannedLevel = plan === 0 ? -1 : outer;
  let node = plan;
  let next = FOUND;
  while (true) {
    if (inObject) {
      if (load<u8>(p) !== 0x22) return 0;
      const start = p + 1;
      p = skipString(start);
      if (p === 0) return 0;
      count++;
      const escaped = lastEscape >= start;
      const isPlanned = level === plannedLevel;
      if (wantsKeys || isPlanned) {
        if (!isNewKey(frame, start, p - 1, escaped)) {
          if (wantsKeys) return 0;
          plannedLevel = -1;
        }
      }
      if (wantsKeys) {
        overObject = openKeys(frame) > mostObjectKeys;
        if (overObject || <u32>count > mostKeys) {
          overKeys = start - 1;
          return 0;
        }
      }
      const end = p - 1;
      if (isGap(p)) p = skipSpace(p);
      if (load<u8>(p) !== 0x3a) return 0;
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
    const isContainer = (byte | 0x20) === 0x7b;
    // The range of `setHole` is not skipped if it contains planned members: these must be located.
    if (isContainer && (p !== skipped || (node !== 0 && level === plannedLevel))) {
      level++;
      frame += 16;
      if (level > deepest) {
        deepest = level;
        if (level > limit) return 0;
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
      let bottom = level + 1;
      if (isContainer) {
        p = holeEnd;
        bottom = level + holeDepth;
        count += holeKeys;
        behindHole = p;
      } else {
        const start = p;
        if (byte === 0x22) {
          p = skipString(p + 1);
        } else if (byte < 0x3a) {
          p = skipNumber(p);
          if (wantsNumbers && p !== 0 && (p - start > MAX_SHORT || lastExponent >= start)) {
            if (!isHeld(start, p)) return 0;
          }
        } else {
          p = skipLiteral(p);
        }
        if (p === 0) return 0;
      }
      if (bottom > deepest) {
        deepest = bottom;
        if (bottom > limit) return 0;
      }
      if (level > outer) {
        if (level === plannedLevel) next = located(next, planned, p);
        if (isGap(p)) p = skipSpace(p);
      }
    }
    // After a value, or at the end of an empty container.
    while (true) {
      if (level === outer) {
        depth = deepest;
        keys = count;
        found = plannedLevel < 0 ? 0 : next;
        return p;
      }
      const byte = load<u8>(p);
      if (byte === 0x2c) {
        p++;
        if (isGap(p)) p = skipSpace(p);
        break;
      }
      if (byte !== (inObject ? 0x7d : 0x5d)) return 0;
      if (inObject && (wantsKeys || level === plannedLevel)) closeObject(frame);
      if (level === plannedLevel) {
        plannedLevel--;
        planned -= FRAME;
      }
      level--;
      frame -= 16;
      if (level > outer && level === plannedLevel) next = located(next, planned, p + 1);
      inObject = level > outer && load<u32>(frame, KIND) !== 0;
      p++;
      if (level > outer && isGap(p)) p = skipSpace(p);
    }
  }
}
