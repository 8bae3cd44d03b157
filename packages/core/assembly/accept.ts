// biome-ignore lint/suspicious/noImportCycles: see there
import { judgeInPlace } from "./accept-in-place";
import { findProperty, isProperty } from "./accept-property";
import { judgeEquality, judgeNumber, judgeString } from "./accept-scalar";
import { at, begin, behindGap, giveUp, listed, skip, spend, UNKNOWN, unsure } from "./accept-state";
import {
  countKeys,
  enter,
  frame,
  isKnown,
  keysRead,
  leave,
  nesting,
  reach,
  recountKeys,
} from "./accept-unread";
import {
  ADDITIONAL,
  ARRAY,
  BOOLEAN,
  IN_PLACE_FLAG,
  ITEMS,
  JUDGED_SHIFT,
  LIST_HEADER_SIZE,
  MAX_ITEMS,
  MAX_PROPERTIES,
  MIN_ITEMS,
  MIN_PROPERTIES,
  NULL,
  NUMBER,
  OBJECT,
  OWN_FLAG,
  PREFIX_ITEMS,
  PROPERTIES,
  PROPERTY_LENGTH,
  PROPERTY_NAMES,
  PROPERTY_NODE,
  PROPERTY_REQUIRED,
  PROPERTY_SIZE,
  ROOT_OFFSET,
  STRING,
  UNSURE_SHIFT,
} from "./image";
import { closeObject, isNewKey, openObject } from "./keys";
import { TEXT } from "./layout";
import { skipLiteral } from "./skip";
import { isGap, skipSpace } from "./space";
import { lastEscape, resetStrings, skipString } from "./string";

/** How deep schemas may be applied inside each other. */
const MAX_LEVEL: i32 = 400;

let level: i32 = 0;

/** Returns the address after the object at `start` if it satisfies a node's keywords for objects, or 0. */
function judgeObject(node: usize, start: usize): usize {
  const list = at(node, PROPERTIES);
  const count: u32 = list === 0 ? 0 : load<u32>(list);
  const last = list + LIST_HEADER_SIZE + <usize>count * PROPERTY_SIZE;
  const additional = at(node, ADDITIONAL);
  const names = at(node, PROPERTY_NAMES);
  const properties = list + LIST_HEADER_SIZE;
  let hint = properties;
  // The properties that were found so far, for a text that may have duplicates.
  let seen: u64 = 0;
  let missing: u32 = list === 0 ? 0 : load<u32>(list, 4);
  let size: u32 = 0;
  let p = start + 1;
  if (isGap(p)) p = behindGap(p);
  if (load<u8>(p) === 0x7d) {
    p++;
  } else {
    reach(nesting + 1);
    while (true) {
      if (load<u8>(p) !== 0x22) return giveUp();
      const key = p + 1;
      let entry: usize = 0;
      // Usually the properties come in the order in which they are declared.
      if (hint !== last && isProperty(hint, key)) {
        entry = hint;
        p = key + <usize>load<u32>(entry, PROPERTY_LENGTH);
      } else {
        resetStrings();
        p = skipString(key);
        // Keys with escapes are left to the engine.
        if (p === 0 || lastEscape !== 0) return giveUp();
        spend(<i32>((p - key) >> 2));
        if (count !== 0) entry = findProperty(list, key, p);
      }
      let value = additional;
      if (entry !== 0) {
        value = at(entry, PROPERTY_NODE);
        missing -= load<u32>(entry, PROPERTY_REQUIRED);
        hint = entry + PROPERTY_SIZE;
      }
      if (!isKnown) {
        if (entry !== 0) {
          const index = (entry - properties) / PROPERTY_SIZE;
          const bit = (<u64>1) << (<u64>index);
          if (index > 63 || (seen & bit) !== 0) return giveUp();
          seen |= bit;
        } else if (!isNewKey(frame(), key, p - 1, false)) {
          return giveUp();
        }
      }
      if (names !== 0 && judge(names, key - 1) === 0) return 0;
      if (isGap(p)) p = behindGap(p);
      if (load<u8>(p) !== 0x3a) return giveUp();
      p++;
      if (isGap(p)) p = behindGap(p);
      p = judge(value, p);
      if (p === 0) return 0;
      size++;
      if (isGap(p)) p = behindGap(p);
      const next = load<u8>(p++);
      if (next === 0x7d) break;
      if (next !== 0x2c) return giveUp();
      if (isGap(p)) p = behindGap(p);
    }
  }
  countKeys(size);
  if (missing !== 0 || size < load<u32>(node, MIN_PROPERTIES)) return 0;
  return size > load<u32>(node, MAX_PROPERTIES) ? 0 : p;
}

/** Returns the address after the array at `start` if it satisfies a node's keywords for arrays, or 0. */
function judgeArray(node: usize, start: usize): usize {
  const items = at(node, ITEMS);
  const prefix = at(node, PREFIX_ITEMS);
  const first: u32 = prefix === 0 ? 0 : load<u32>(prefix);
  let size: u32 = 0;
  let p = start + 1;
  if (isGap(p)) p = behindGap(p);
  if (load<u8>(p) === 0x5d) {
    p++;
  } else {
    reach(nesting + 1);
    while (true) {
      p = judge(size < first ? listed(prefix, size) : items, p);
      if (p === 0) return 0;
      size++;
      if (isGap(p)) p = behindGap(p);
      const next = load<u8>(p++);
      if (next === 0x5d) break;
      if (next !== 0x2c) return giveUp();
      if (isGap(p)) p = behindGap(p);
    }
  }
  if (size < load<u32>(node, MIN_ITEMS)) return 0;
  return size > load<u32>(node, MAX_ITEMS) ? 0 : p;
}

/** Returns the address after the container at `p` if it satisfies a node's keywords, or 0. */
function judgeContainer(node: usize, kind: u32, p: usize): usize {
  if (level === MAX_LEVEL) return giveUp();
  level++;
  enter();
  // The object is closed below even if its check ended early.
  if (kind === OBJECT) openObject(frame());
  const end = kind === OBJECT ? judgeObject(node, p) : judgeArray(node, p);
  if (kind === OBJECT) closeObject(frame());
  leave();
  level--;
  return end;
}

/** Returns the address after the value at `p` if it satisfies a node's own keywords, or 0. */
function judgeOwn(node: usize, kinds: u32, p: usize): usize {
  const byte = load<u8>(p);
  let kind: u32 = NUMBER;
  if (byte === 0x22) kind = STRING;
  else if (byte === 0x7b) kind = OBJECT;
  else if (byte === 0x5b) kind = ARRAY;
  else if (byte === 0x6e) kind = NULL;
  else if (byte > 0x3a) kind = BOOLEAN;
  if ((kinds & kind) === 0) return 0;
  if (((kinds >> UNSURE_SHIFT) & kind) !== 0) return giveUp();
  const isJudged = ((kinds >> JUDGED_SHIFT) & kind) !== 0;
  if (kind === STRING) return judgeString(node, isJudged, p);
  if (kind === NUMBER) return judgeNumber(node, kinds & NUMBER, isJudged, p);
  if ((kind & (OBJECT | ARRAY)) !== 0) return isJudged ? judgeContainer(node, kind, p) : skip(p);
  const end = skipLiteral(p);
  if (end === 0) return giveUp();
  return !isJudged || judgeEquality(node, kind, p, end) ? end : 0;
}

/** Returns the address after the value at `p` if it satisfies a node, or 0. */
export function judge(node: usize, p: usize): usize {
  if (!spend(1)) return giveUp();
  if (node === 0) return skip(p);
  const kinds = load<u32>(node);
  if ((kinds & IN_PLACE_FLAG) === 0) return judgeOwn(node, kinds, p);
  spend(1);
  if (level === MAX_LEVEL) return giveUp();
  level++;
  const before = keysRead;
  const end = judgeInPlace(node, p);
  level--;
  if (end === 0 || (kinds & OWN_FLAG) === 0) return end;
  recountKeys(before);
  return judgeOwn(node, kinds, p);
}

/**
 * Returns whether the placed text of `size` bytes satisfies the schema with the image at `image`. The text must be
 * JSON without duplicate keys, whose numbers all fit a double.
 * @returns 1 if it does, 0 if it does not, 2 if that cannot be decided here
 */
export function accept(size: i32, image: usize): i32 {
  begin(size, image, true);
  level = 0;
  const end = judge(at(image, ROOT_OFFSET), skipSpace(TEXT));
  if (unsure || (end !== 0 && skipSpace(end) !== TEXT + <usize>size)) return UNKNOWN;
  return <i32>(end !== 0);
}

/**
 * Checks the value at `p` in an unread text of `size` bytes, by its schema and as JSON at once: an accepted value is
 * JSON without duplicate keys, whose numbers all fit a double. `deepest` and `keysRead` then hold its depth and
 * number of keys.
 * @returns the address after it, or 0 if it is not certainly accepted
 */
export function acceptUnread(size: i32, image: usize, p: usize): usize {
  begin(size, image, false);
  level = 0;
  const end = judge(at(image, ROOT_OFFSET), p);
  return unsure ? 0 : end;
}
