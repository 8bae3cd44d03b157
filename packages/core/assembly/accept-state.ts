import { beginUnread, isKnown, skipUnread } from "./accept-unread";
import { skipValue } from "./skip";
import { skipSpace } from "./space";

/** The result if the check can say neither yes (1) nor no (0). */
export const UNKNOWN: i32 = 2;

// Steps of a few nanoseconds each: this many for each byte of a text, plus a base. A large text is not worth more than
// a few readings, because no deadline ends this.
const STEPS_PER_BYTE: i32 = 4;
const BASE_STEPS: i32 = 4096;
const MOST_STEPS: i32 = 3_000_000;

/** The address of the image. */
export let base: usize = 0;
let steps: i32 = 0;
/** Whether anything could not be decided: then no decision counts. */
export let unsure: bool = false;

export function giveUp(): usize {
  unsure = true;
  return 0;
}

/** Returns whether a result is yes (1). If it is neither yes nor no, ends the check. */
export function holds(answer: i32): bool {
  if (answer === UNKNOWN) unsure = true;
  return answer === 1;
}

/** Returns the address after the value at `p`, of any type. */
export function skip(p: usize): usize {
  const end = isKnown ? skipValue(p) : skipUnread(p);
  if (end === 0) return giveUp();
  // Counts a step for every two bytes: each bracket and quote of the value may have to be read.
  steps -= <i32>((end - p) >> 1);
  return end;
}

/** Returns the address of the first byte from `p` on that is not white space; call it only if there is some. */
export function behindGap(p: usize): usize {
  const end = skipSpace(p);
  steps -= 1 + <i32>((end - p) >> 3);
  return end;
}

/** Returns the address for an offset of a node in the image; 0 if there is none. */
export function at(node: usize, field: usize): usize {
  const offset = <usize>load<u32>(node + field);
  return offset === 0 ? 0 : base + offset;
}

/** Returns a node of a list, which begins with their number. */
export function listed(list: usize, index: u32): usize {
  return at(list, 4 + ((<usize>index) << 2));
}

/** Begins a text of `size` bytes, to be checked by the image at `image`. */
export function begin(size: i32, image: usize, known: bool): void {
  base = image;
  beginUnread(known);
  steps = BASE_STEPS + min(STEPS_PER_BYTE * size, MOST_STEPS + (size >> 2));
  unsure = false;
}

/** Uses up steps. @returns whether enough were left */
export function spend(count: i32): bool {
  steps -= count;
  return steps >= 0;
}
