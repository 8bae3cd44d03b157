import { isSame } from "./same";
import { readEscape, unescaped } from "./string";

// A plan is a node: how many members are planned in an object, then an entry of 16 bytes for each: address and length
// of its name, the node of what is planned inside it (or 0), and the number that identifies it. "src/json/wasm/plan.ts"
// writes plans. Located members are at FOUND: for each its number, start and end.
const LENGTH: usize = 4;
export const INSIDE: usize = 8;
export const NUMBER: usize = 12;
const ENTRY: usize = 16;

// The frame of a planned object: first the data of "keys.ts"; its node; the entry of the current member (or 0), and
// where the member's value starts.
export const FRAME: usize = 32;
export const FRAME_NODE: usize = 12;
export const FRAME_ENTRY: usize = 16;
export const FRAME_START: usize = 20;

/** Returns the entry of a key in a node, or 0. */
export function find(node: usize, start: usize, end: usize): usize {
  const length = <u32>(end - start);
  const last = node + 4 + <usize>load<u32>(node) * ENTRY;
  for (let entry = node + 4; entry < last; entry += ENTRY) {
    if (load<u32>(entry, LENGTH) !== length) continue;
    if (isSame(<usize>load<u32>(entry), start, length)) return entry;
  }
  return 0;
}

/** Returns whether a key with escapes may be one of the names in a node; true if only JavaScript knows. */
export function mayStandFor(node: usize, start: usize, end: usize): bool {
  const last = node + 4 + <usize>load<u32>(node) * ENTRY;
  for (let entry = node + 4; entry < last; entry += ENTRY) {
    if (mayBe(<usize>load<u32>(entry), <usize>load<u32>(entry, LENGTH), start, end)) return true;
  }
  return false;
}

function mayBe(name: usize, length: usize, start: usize, end: usize): bool {
  let p = start;
  for (let i: usize = 0; i < length; i++) {
    const wanted = <u32>load<u8>(name + i);
    if (p >= end) return false;
    let unit = <u32>load<u8>(p);
    let size: usize = 1;
    if (unit === 0x5c) {
      unit = readEscape(p);
      size = unescaped;
    }
    if (wanted >= 0x80) return unit >= 0x80;
    if (unit !== wanted) return false;
    p += size;
  }
  return p === end;
}
