import { findProperty, isProperty } from "./accept-property";
import { judgeEquality, judgeNumber, judgeString } from "./accept-scalar";
import { at, begin, behindGap, giveUp, skip, spend, UNKNOWN, unsure } from "./accept-state";
import {
  ADDITIONAL,
  ALL_OF,
  ANY_OF,
  ARRAY,
  BOOLEAN,
  ELSE,
  IF,
  IN_PLACE,
  ITEMS,
  JUDGED_SHIFT,
  LIST_HEADER_SIZE,
  MAX_ITEMS,
  MAX_PROPERTIES,
  MIN_ITEMS,
  MIN_PROPERTIES,
  NOT,
  NULL,
  NUMBER,
  OBJECT,
  ONE_OF,
  OWN,
  PREFIX_ITEMS,
  PROPERTIES,
  PROPERTY_LENGTH,
  PROPERTY_NAMES,
  PROPERTY_NODE,
  PROPERTY_REQUIRED,
  PROPERTY_SIZE,
  ROOT,
  STRING,
  THEN,
  UNSURE_SHIFT,
} from "./image";
import { TEXT } from "./layout";
import { isGap, skipSpace } from "./space";
import { lastEscape, resetStrings, skipString } from "./string";

/** Schemas that are applied in one another. */
const MAX_LEVEL: i32 = 400;

let level: i32 = 0;

/** Judges a value by a node of the list; the list begins with their number. */
function judgeListed(list: usize, index: u32, p: usize): usize {
  return judge(at(list, 4 + ((<usize>index) << 2)), p);
}

/** The address behind the value at `p` if all the schemas that a node applies to it hold, or 0. */
function judgeInPlace(node: usize, p: usize): usize {
  let end: usize = 0;
  const all = at(node, ALL_OF);
  if (all !== 0) {
    const count = load<u32>(all);
    for (let i: u32 = 0; i < count; i++) {
      end = judgeListed(all, i, p);
      if (end === 0) return 0;
    }
  }
  const any = at(node, ANY_OF);
  if (any !== 0) {
    const count = load<u32>(any);
    let matched: usize = 0;
    for (let i: u32 = 0; i < count && matched === 0; i++) {
      matched = judgeListed(any, i, p);
      if (unsure) return 0;
    }
    if (matched === 0) return 0;
    end = matched;
  }
  const one = at(node, ONE_OF);
  if (one !== 0) {
    const count = load<u32>(one);
    let matched: usize = 0;
    for (let i: u32 = 0; i < count; i++) {
      const next = judgeListed(one, i, p);
      if (unsure || (next !== 0 && matched !== 0)) return 0;
      if (next !== 0) matched = next;
    }
    if (matched === 0) return 0;
    end = matched;
  }
  const not = at(node, NOT);
  if (not !== 0 && (judge(not, p) !== 0 || unsure)) return 0;
  const condition = at(node, IF);
  if (condition !== 0) {
    const met = judge(condition, p) !== 0;
    if (unsure) return 0;
    end = judge(at(node, met ? THEN : ELSE), p);
    if (end === 0) return 0;
  }
  return end === 0 ? skip(p) : end;
}

/** The address behind the object at `start` if a node's keywords for objects hold, or 0. */
function judgeObject(node: usize, start: usize): usize {
  const list = at(node, PROPERTIES);
  const count: u32 = list === 0 ? 0 : load<u32>(list);
  const last = list + LIST_HEADER_SIZE + <usize>count * PROPERTY_SIZE;
  const additional = at(node, ADDITIONAL);
  const names = at(node, PROPERTY_NAMES);
  let hint = list + LIST_HEADER_SIZE;
  let missing: u32 = list === 0 ? 0 : load<u32>(list, 4);
  let size: u32 = 0;
  let p = start + 1;
  if (isGap(p)) p = behindGap(p);
  if (load<u8>(p) === 0x7d) {
    p++;
  } else {
    while (true) {
      const key = p + 1;
      let entry: usize = 0;
      // Mostly the properties come in the order in which they are declared.
      if (hint !== last && isProperty(hint, key)) {
        entry = hint;
        p = key + <usize>load<u32>(entry, PROPERTY_LENGTH);
      } else {
        resetStrings();
        p = skipString(key);
        // How a key with an escape is spelled elsewhere is not for here.
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
      if (names !== 0 && judge(names, key - 1) === 0) return 0;
      if (isGap(p)) p = behindGap(p);
      p++;
      if (isGap(p)) p = behindGap(p);
      p = judge(value, p);
      if (p === 0) return 0;
      size++;
      if (isGap(p)) p = behindGap(p);
      if (load<u8>(p++) !== 0x2c) break;
      if (isGap(p)) p = behindGap(p);
    }
  }
  if (missing !== 0 || size < load<u32>(node, MIN_PROPERTIES)) return 0;
  return size > load<u32>(node, MAX_PROPERTIES) ? 0 : p;
}

/** The address behind the array at `start` if a node's keywords for arrays hold, or 0. */
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
    while (true) {
      p = size < first ? judgeListed(prefix, size, p) : judge(items, p);
      if (p === 0) return 0;
      size++;
      if (isGap(p)) p = behindGap(p);
      if (load<u8>(p++) !== 0x2c) break;
      if (isGap(p)) p = behindGap(p);
    }
  }
  if (size < load<u32>(node, MIN_ITEMS)) return 0;
  return size > load<u32>(node, MAX_ITEMS) ? 0 : p;
}

/** The address behind the container at `p` if a node's keywords for it hold, or 0. */
function judgeContainer(node: usize, kind: u32, p: usize): usize {
  if (level === MAX_LEVEL) return giveUp();
  level++;
  const end = kind === OBJECT ? judgeObject(node, p) : judgeArray(node, p);
  level--;
  return end;
}

/** The address behind the value at `p` if what a node asks of it itself holds, or 0. */
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
  const end = p + (byte === 0x66 ? 5 : 4);
  return !isJudged || judgeEquality(node, kind, p, end) ? end : 0;
}

/** The address behind the value at `p` if it satisfies a node, or 0. */
function judge(node: usize, p: usize): usize {
  if (!spend(1)) return giveUp();
  if (node === 0) return skip(p);
  const kinds = load<u32>(node);
  if ((kinds & IN_PLACE) === 0) return judgeOwn(node, kinds, p);
  spend(1);
  if (level === MAX_LEVEL) return giveUp();
  level++;
  const end = judgeInPlace(node, p);
  level--;
  return end === 0 || (kinds & OWN) === 0 ? end : judgeOwn(node, kinds, p);
}

/**
 * Whether the placed text of `size` bytes satisfies the schema whose image stands at `image`: a
 * JSON text, of which it is known that no object has a key twice and that a double holds every number.
 * @returns 1 where it does, 0 where it does not, 2 where that cannot be told here
 */
export function accept(size: i32, image: usize): i32 {
  begin(size, image);
  level = 0;
  const end = judge(at(image, ROOT), skipSpace(TEXT));
  if (unsure || (end !== 0 && skipSpace(end) !== TEXT + <usize>size)) return UNKNOWN;
  return <i32>(end !== 0);
}
