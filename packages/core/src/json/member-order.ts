import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "./bytes.ts";
import { compareKeySteps, compareKeys } from "./key-order.ts";
import type { StepCounter } from "./step-work.ts";
import { Uint32List } from "./uint32-list.ts";

/** The number of bytes that a comparison of two keys counts as. */
const COMPARISON = 16;
/** How many bytes of a string to read without counting them. */
const MOST_AT_ONCE = 1_024;
/** Marks the end of a list. */
const NONE = 0xffff_ffff;

/** The members of one object in canonical order: a part of {@link MemberOrder.keys}. */
export interface MemberRange {
  readonly from: number;
  readonly to: number;
}

/** The canonical order of the members of those objects of a text that have another order. */
export class MemberOrder {
  /** Offsets of the opening quotes of keys. */
  readonly keys: Uint32List = new Uint32List();
  /** For each object, in the order in which objects close: where it opens, and where its keys begin. */
  readonly #opens: Uint32List = new Uint32List();
  readonly #from: Uint32List = new Uint32List();
  /** The same objects, by the order in which they open. */
  #sorted: Uint32List = new Uint32List();

  /** Adds an object. Returns its number. */
  add(open: number, keys: Uint32Array): number {
    this.#opens.push(open);
    this.#from.push(this.keys.length);
    for (const key of keys) this.keys.push(key);
    return this.#opens.length - 1;
  }

  /** Notes the order in which the objects open. */
  opened(sorted: Uint32List): void {
    this.#sorted = sorted;
  }

  /** Returns the place of the first object that opens at `at` or later. */
  placeFrom(at: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#opens.at(this.#sorted.at(middle)) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the members of the object at a place; undefined if it does not open at `at`. */
  membersAt(place: number, at: number): MemberRange | undefined {
    if (place >= this.#sorted.length) return undefined;
    const number = this.#sorted.at(place);
    if (this.#opens.at(number) !== at) return undefined;
    const isLast = number + 1 === this.#from.length;
    return {
      from: this.#from.at(number),
      to: isLast ? this.keys.length : this.#from.at(number + 1),
    };
  }
}

/** A container that is open, and the objects in it whose order is noted, as a list. */
interface Open {
  readonly at: number;
  readonly isObject: boolean;
  /** Where its keys begin among those of all open objects. */
  readonly first: number;
  head: number;
  tail: number;
}

/**
 * Finds the objects of a text whose members are not in canonical order, and sorts these. Members of one name keep their
 * order. Takes about four bytes of memory for each member, and sixteen for each such object.
 * @param bytes a text that `scanJson` accepts
 */
export function* memberOrderSteps(
  bytes: Uint8Array,
  work: StepCounter,
): Generator<void, MemberOrder, void> {
  const order = new MemberOrder();
  /** The keys of open objects, the innermost last. */
  const keys = new Uint32List();
  /** For each object whose order is noted, the number of the next one that opens after it. */
  const next = new Uint32List();
  const root: Open = { at: -1, isObject: false, first: 0, head: NONE, tail: NONE };
  const stack: Open[] = [root];
  let top = root;
  let isKey = false;
  for (let at = 0; at < bytes.length; ) {
    const from = at;
    const byte = bytes[at] as number;
    at += 1;
    if (byte === QUOTE) {
      if (isKey) keys.push(from);
      isKey = false;
      at = endOfString(bytes, at, MOST_AT_ONCE);
      while (at < 0) {
        if (work.ends(MOST_AT_ONCE)) yield;
        at = endOfString(bytes, ~at, MOST_AT_ONCE);
      }
      if (work.ends(Math.min(at - from, MOST_AT_ONCE))) yield;
      continue;
    }
    if (byte === COMMA) isKey = top.isObject;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      isKey = byte === OPEN_OBJECT;
      top = { at: from, isObject: isKey, first: keys.length, head: NONE, tail: NONE };
      stack.push(top);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      isKey = false;
      const closed = stack.pop() as Open;
      top = stack.at(-1) as Open;
      if (closed.isObject && !(yield* isInOrder(bytes, keys, closed.first, work))) {
        const sorted = yield* sortedSteps(bytes, keys, closed.first, work);
        const number = order.add(closed.at, sorted);
        next.push(closed.head);
        closed.head = number;
        if (closed.tail === NONE) closed.tail = number;
      }
      keys.cut(closed.first);
      join(top, closed, next);
    }
    if (work.ends(1)) yield;
  }
  order.opened(yield* listed(root.head, next, work));
  return order;
}

/** Adds the list of a container to that of the one around it. */
function join(top: Open, { head, tail }: Open, next: Uint32List): void {
  if (head === NONE) return;
  if (top.tail === NONE) top.head = head;
  else next.set(top.tail, head);
  top.tail = tail;
}

function* listed(
  head: number,
  next: Uint32List,
  work: StepCounter,
): Generator<void, Uint32List, void> {
  const all = new Uint32List();
  for (let number = head; number !== NONE; number = next.at(number)) {
    all.push(number);
    if (work.ends(COMPARISON)) yield;
  }
  return all;
}

/** Returns the offset after a string that continues at `at`; `~offset` if it does not end in the next bytes. */
function endOfString(bytes: Uint8Array, at: number, most: number): number {
  let end = at;
  for (const last = at + most; end < last; ) {
    const byte = bytes[end] as number;
    end += byte === BACKSLASH ? 2 : 1;
    if (byte === QUOTE) return end;
  }
  return ~end;
}

function* isInOrder(
  bytes: Uint8Array,
  keys: Uint32List,
  first: number,
  work: StepCounter,
): Generator<void, boolean, void> {
  for (let i = first + 1; i < keys.length; i += 1) {
    const [one, other] = [keys.at(i - 1), keys.at(i)];
    let compared = compareKeys(bytes, one, other);
    if (Number.isNaN(compared)) compared = yield* compareKeySteps(bytes, one, other, work);
    if (compared > 0) return false;
    if (work.ends(COMPARISON)) yield;
  }
  return true;
}

/** Sorts the keys from `first` on, by merging ever longer runs: keys that are the same keep their order. */
function* sortedSteps(
  bytes: Uint8Array,
  keys: Uint32List,
  first: number,
  work: StepCounter,
): Generator<void, Uint32Array, void> {
  const length = keys.length - first;
  let [from, to] = [new Uint32Array(length), new Uint32Array(length)];
  for (let i = 0; i < length; i += 1) {
    from[i] = keys.at(first + i);
    if (work.ends(1)) yield;
  }
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(start + 2 * run, length);
      let [left, right] = [start, middle];
      for (let i = start; i < end; i += 1) {
        let isLeft = right === end;
        if (left < middle && right < end) {
          const [one, other] = [from[left] as number, from[right] as number];
          let compared = compareKeys(bytes, one, other);
          if (Number.isNaN(compared)) compared = yield* compareKeySteps(bytes, one, other, work);
          isLeft = compared <= 0;
        }
        to[i] = from[isLeft ? left : right] as number;
        if (isLeft) left += 1;
        else right += 1;
        if (work.ends(COMPARISON)) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
