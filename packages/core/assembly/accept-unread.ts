import { STACK } from "./layout";
import { checkValue, depth, KEYS, keys, MOST_LEVELS, NUMBERS } from "./value";

/** Whether the text is known to be JSON without duplicate keys, whose numbers all fit a double. */
export let isKnown: bool = false;
/** For a text that is not known to be JSON: the open containers, the deepest level, and the number of keys. */
export let nesting: i32 = 0;
export let deepest: i32 = 0;
export let keysRead: i32 = 0;

export function enter(): void {
  nesting++;
  reach(nesting);
}

export function leave(): void {
  nesting--;
}

/** Notes a value on a level. */
export function reach(level: i32): void {
  if (level > deepest) deepest = level;
}

export function countKeys(more: i32): void {
  keysRead += more;
}

/** Restores an earlier count, because the value whose keys were counted is checked again. */
export function recountKeys(before: i32): void {
  keysRead = before;
}

export function beginUnread(known: bool): void {
  isKnown = known;
  nesting = 0;
  deepest = 1;
  keysRead = 0;
}

/** Where the innermost open object keeps the data of "keys.ts". */
export function frame(): usize {
  return STACK + ((<usize>nesting) << 4);
}

/** Returns the address after the value at `p`, whatever it is, if nothing is wrong with it, or 0. */
export function skipUnread(p: usize): usize {
  const end = checkValue(p, nesting, MOST_LEVELS, KEYS | NUMBERS, 0);
  if (end === 0) return 0;
  reach(depth);
  countKeys(keys);
  return end;
}
