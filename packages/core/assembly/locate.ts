import { closeObject, isNewKey, openObject, resetKeys } from "./keys";
import { FOUND, PLAN_STACK, RESULT, TEXT } from "./layout";
import { FRAME, FRAME_ENTRY, FRAME_NODE, FRAME_START, find, INSIDE, NUMBER } from "./planned";
import { skipScalar } from "./skip";
import { isGap, skipSpace } from "./space";
import { lastEscape, resetStrings, skipQuoted, skipString } from "./string";
import { begin, nesting, walk } from "./structure";

/**
 * Walks through the objects with planned members and skips everything else, in the text of `size` bytes.
 * @returns whether there was no fault, and no such object has a duplicate key or one with an escape; then start, end,
 *   depth and the number of located members are at RESULT, and at FOUND each one's number, start and end
 */
export function locate(size: i32, plan: usize): bool {
  const end = TEXT + <usize>size;
  resetKeys(size);
  resetStrings();
  let p = skipSpace(TEXT);
  store<u32>(RESULT, <u32>(p - TEXT));
  let frame = PLAN_STACK;
  let level = 0;
  let depth = 0;
  let found = FOUND;
  let node = plan;
  while (true) {
    const byte = load<u8>(p);
    const isContainer = (byte | 0x20) === 0x7b;
    const entered = byte === 0x7b && node !== 0;
    let levels = 1;
    if (byte === 0x22) {
      p = skipQuoted(p + 1, end);
      if (p === 0) return false;
    } else if (!isContainer) {
      const start = p;
      p = skipScalar(p);
      if (p === start) return false;
    } else if (!entered) {
      begin();
      const behind = walk(<i32>(p - TEXT), size);
      if (behind < 0) return false;
      p = TEXT + <usize>behind;
      levels = nesting();
    }
    if (level + levels > depth) depth = level + levels;
    if (entered) {
      level++;
      frame += FRAME;
      openObject(frame);
      store<u32>(frame, <u32>node, FRAME_NODE);
      p++;
      if (isGap(p)) p = skipSpace(p);
    }

    // After a value, or after the opening bracket of a planned object.
    let behind = !entered;
    while (level > 0) {
      if (behind) {
        const entry = <usize>load<u32>(frame, FRAME_ENTRY);
        if (entry !== 0) {
          store<u32>(found, load<u32>(entry, NUMBER));
          store<u32>(found, load<u32>(frame, FRAME_START), 4);
          store<u32>(found, <u32>(p - TEXT), 8);
          found += 12;
        }
        if (isGap(p)) p = skipSpace(p);
      }
      if (load<u8>(p) !== 0x7d) break;
      closeObject(frame);
      frame -= FRAME;
      level--;
      p++;
      behind = true;
    }
    if (level === 0) break;
    if (behind) {
      if (load<u8>(p) !== 0x2c) return false;
      p++;
      if (isGap(p)) p = skipSpace(p);
    }

    if (load<u8>(p) !== 0x22) return false;
    const start = p + 1;
    p = skipString(start);
    if (p === 0 || lastEscape >= start || !isNewKey(frame, start, p - 1, false)) return false;
    const entry = find(<usize>load<u32>(frame, FRAME_NODE), start, p - 1);
    node = entry === 0 ? 0 : <usize>load<u32>(entry, INSIDE);
    if (isGap(p)) p = skipSpace(p);
    if (load<u8>(p) !== 0x3a) return false;
    p++;
    if (isGap(p)) p = skipSpace(p);
    store<u32>(frame, <u32>entry, FRAME_ENTRY);
    store<u32>(frame, <u32>(p - TEXT), FRAME_START);
  }
  store<u32>(RESULT, <u32>(p - TEXT), 4);
  store<u32>(RESULT, depth, 8);
  store<u32>(RESULT, <u32>((found - FOUND) / 12), 12);
  return skipSpace(p) === end;
}
