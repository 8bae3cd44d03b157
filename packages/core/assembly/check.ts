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

/** Makes the check skip the value at offset `at`, if an image certainly accepts it. */
function leaveOut(size: i32, image: usize, at: i32): void {
  // Resets the range to skip: otherwise the range of the previous text would be skipped.
  setHole(0, 0, 0, 0);
  if (image === 0) return;
  const from = TEXT + <usize>at;
  const end = acceptUnread(size, image, from);
  if (end !== 0) setHole(from, end, deepest, keysRead);
}

/**
 * Checks the text of `size` bytes by the grammar of RFC 8259, as UTF-8, and by what `wanted` asks for: that no object
 * has a duplicate key, that every number fits a double. Also locates the members of a plan (none if `plan` is 0), and
 * checks the value at offset `at` by an image, unless that is 0.
 * @param objectKeys the most keys of one object, if keys are tracked, and `textKeys` of the whole text
 * @returns 1 if all of that certainly holds; 2 or 3 if the text is fine up to the offset at RESULT and then has more
 *   keys than an object, or a text, may have; else 0. With 1, start, end, depth, number of keys and number of located
 *   members are at RESULT, and those members at FOUND, in the form of "planned.ts". If an object with planned members
 *   has a key with an escape, or may have a duplicate, their number is -1. RESULT also has the end of the value at
 *   the offset if it certainly satisfies the image; else 0.
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
