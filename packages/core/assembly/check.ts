import { acceptUnread } from "./accept";
import { deepest, keysRead } from "./accept-unread";
import { resetKeys } from "./keys";
import { FOUND, RESULT, TEXT } from "./layout";
import { resetNumbers } from "./number";
import { skipSpace } from "./space";
import { resetStrings } from "./string";
import {
  behindHole,
  checkValue,
  depth,
  found,
  keys,
  MOST_LEVELS,
  overKeys,
  overObject,
  setHole,
  setKeyLimits,
} from "./value";

function reset(size: i32): void {
  resetKeys(size);
  resetNumbers();
  resetStrings();
}

/** Leaves out of the check what an image takes for certain of the value at the offset `at`. */
function leaveOut(size: i32, image: usize, at: i32): void {
  // That of the last text would be left out of this one's value.
  setHole(0, 0, 0, 0);
  if (image === 0) return;
  const from = TEXT + <usize>at;
  const end = acceptUnread(size, image, from);
  if (end !== 0) setHole(from, end, deepest, keysRead);
}

/**
 * Checks the text of `size` bytes by the grammar of RFC 8259, as UTF-8, and by what `wanted` asks
 * for: that no object has a key twice, that a double holds every number. On the way it locates the
 * members of a plan, or of none if `plan` is 0, and checks the value at the offset `at` by an
 * image, unless that is 0.
 * @param objectKeys the most keys of one object, where keys are needed, and `textKeys` of the whole text
 * @returns 1 if all of that holds for certain; 2 or 3 where the text has, up to the offset at RESULT,
 * nothing wrong and then more keys than an object, or a text, may have; else 0. With 1, start, end, depth, number of keys and number
 * of located members are at RESULT, those members at FOUND as "planned.ts" says. Where an object in which
 * members are planned has a key with an escape or may have one twice, their number is -1. At RESULT, too,
 * is where the value at the offset ends, if that certainly satisfies the image; else 0.
 */
export function check(
  size: i32,
  maxDepth: i32,
  wanted: i32,
  plan: usize,
  image: usize,
  at: i32,
  objectKeys: u32,
  textKeys: u32,
): i32 {
  setKeyLimits(objectKeys, textKeys);
  reset(size);
  leaveOut(size, image, at);
  if (image !== 0) reset(size);
  const start = skipSpace(TEXT);
  const p = checkValue(start, 0, min(maxDepth, MOST_LEVELS), wanted, plan);
  if (p === 0) {
    if (overKeys === 0) return 0;
    store<u32>(RESULT, <u32>(overKeys - TEXT));
    return overObject ? 2 : 3;
  }
  store<u32>(RESULT, <u32>(start - TEXT));
  store<u32>(RESULT, <u32>(p - TEXT), 4);
  store<u32>(RESULT, depth, 8);
  store<u32>(RESULT, keys, 12);
  store<i32>(RESULT, found === 0 ? -1 : <i32>((found - FOUND) / 12), 16);
  store<u32>(RESULT, behindHole === 0 ? 0 : <u32>(behindHole - TEXT), 20);
  return skipSpace(p) === TEXT + <usize>size ? 1 : 0;
}
