import { hashBytes, hashEscaped } from "./hash";
import { HASHES, LENGTHS, MAX_KEYS, STARTS, TABLES, TABLES_END } from "./layout";
import { isSame } from "./same";

// The frame of an open object: where its keys begin in the columns, the address of its hash table (or 0), and the
// table's number of slots minus one.
const TABLE: usize = 4;
const MASK: usize = 8;

/** Up to this many keys of an object are compared one by one. */
const FEW: u32 = 16;
const FIRST_SLOTS: u32 = 64;
const ESCAPED: u32 = 0x80000000;

/** How many different keys with one hash to compare in one text. */
const MAX_COLLISIONS: i32 = 64;
/** How many further slots to search in one text, plus one for each of its bytes. */
const MAX_PROBES: i32 = 0x80000;

let top: u32 = 0;
let tablesTop: usize = TABLES;
let collisions: i32 = 0;
let probesLeft: i32 = 0;

/** Starts a text of `size` bytes. */
export function resetKeys(size: i32): void {
  top = 0;
  tablesTop = TABLES;
  collisions = 0;
  probesLeft = MAX_PROBES + size;
}

export function openObject(frame: usize): void {
  store<u32>(frame, top);
  store<u32>(frame, 0, TABLE);
}

/** Returns how many keys of the innermost open object were added. */
export function openKeys(frame: usize): u32 {
  return top - load<u32>(frame);
}

export function closeObject(frame: usize): void {
  top = load<u32>(frame);
  const table = load<u32>(frame, TABLE);
  if (table !== 0) tablesTop = table;
}

/** Returns whether the key may equal the one at `index`, which has the same hash; escapes are not compared here. */
function maybeSame(index: u32, start: usize, length: u32): bool {
  const other = load<u32>(LENGTHS + ((<usize>index) << 2));
  if (((other | length) & ESCAPED) !== 0) return true;
  if (other === length) {
    if (isSame(<usize>load<u32>(STARTS + ((<usize>index) << 2)), start, length)) return true;
  }
  return ++collisions > MAX_COLLISIONS;
}

function insert(table: usize, mask: u32, index: u32): void {
  let slot = load<u32>(HASHES + ((<usize>index) << 2)) & mask;
  while (load<u32>(table + ((<usize>slot) << 2)) !== 0) {
    slot = (slot + 1) & mask;
    probesLeft--;
  }
  store<u32>(table + ((<usize>slot) << 2), index + 1);
}

/** Makes a table of the object's keys, or a larger one that replaces it. */
function makeTable(frame: usize, slots: u32): bool {
  const base = load<u32>(frame);
  // The innermost object's table is the last, so it can grow in place.
  let table = <usize>load<u32>(frame, TABLE);
  if (table === 0) table = tablesTop;
  const size = (<usize>slots) << 2;
  if (table + size > TABLES_END) return false;
  tablesTop = table + size;
  memory.fill(table, 0, size);
  store<u32>(frame, <u32>table, TABLE);
  store<u32>(frame, slots - 1, MASK);
  for (let index = base; index < top; index++) {
    insert(table, slots - 1, index);
    if (probesLeft < 0) return false;
  }
  return true;
}

/**
 * Adds the next key of an object, if there is room for it.
 * @returns whether it certainly differs from all before it, and there is room for it
 */
export function isNewKey(frame: usize, start: usize, end: usize, escaped: bool): bool {
  const size = <u32>(end - start);
  const hash = escaped ? hashEscaped(start, end) : hashBytes(start, size);
  const length = escaped ? size | ESCAPED : size;
  const base = load<u32>(frame);
  const table = <usize>load<u32>(frame, TABLE);
  if (table === 0) {
    const wanted = i32x4.splat(hash);
    for (let i = base; i < top; i += 4) {
      let equal = i32x4.bitmask(i32x4.eq(v128.load(HASHES + ((<usize>i) << 2)), wanted));
      while (equal !== 0) {
        const index = i + <u32>ctz(equal);
        if (index >= top) break;
        if (maybeSame(index, start, length)) return false;
        equal &= equal - 1;
      }
    }
  } else {
    const mask = load<u32>(frame, MASK);
    let slot = hash & mask;
    while (true) {
      const entry = load<u32>(table + ((<usize>slot) << 2));
      if (entry === 0) break;
      const equal = load<u32>(HASHES + ((<usize>(entry - 1)) << 2)) === hash;
      if (equal && maybeSame(entry - 1, start, length)) return false;
      slot = (slot + 1) & mask;
      if (--probesLeft < 0) return false;
    }
    store<u32>(table + ((<usize>slot) << 2), top + 1);
  }
  if (top === MAX_KEYS) return false;
  store<u32>(HASHES + ((<usize>top) << 2), hash);
  store<u32>(STARTS + ((<usize>top) << 2), <u32>start);
  store<u32>(LENGTHS + ((<usize>top) << 2), length);
  top++;
  const count = top - base;
  if (table === 0) return count <= FEW || makeTable(frame, FIRST_SLOTS);
  const slots = load<u32>(frame, MASK) + 1;
  return count << 1 <= slots || makeTable(frame, slots << 1);
}
