import { type JsonRange, skipQuoted } from "@touchstone/core";
import { OpenBrackets, skipPlain } from "./brackets.ts";
import { CLOSE_ARRAY, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from "./bytes.ts";
import type { Frame } from "./frame.ts";
import { readFrame } from "./read.ts";

/** What can be told about a batch that is not JSON. */
export interface BrokenBatch {
  /** The messages whose position is certain, in order. The last one may be cut off at the fault. */
  readonly items: readonly Frame[];
  /** Whether these are all the messages: the quotes and brackets of the text match up to its end. */
  readonly whole: boolean;
}

/**
 * Returns the messages of a frame that is not JSON and begins like a batch (JSON-RPC 2.0, section 6: an array
 * of objects). Where quotes and brackets match to the end every item is taken, else those before the
 * fault only: behind it, what looks like a message may be part of a string. Undefined if the
 * frame is JSON or begins in another way.
 * @param maxItems if there are more, the others are left out and it is not whole
 */
export function readBrokenBatch(frame: Frame, maxItems: number): BrokenBatch | undefined {
  const { bytes, scan } = frame;
  if (scan.error === undefined || !opensBatch(bytes)) return undefined;
  const split = splitItems(bytes, maxItems + 1);
  const { offset } = scan.error;
  const sure = split.matched
    ? split.items
    : split.items
        .filter(({ start }) => start < offset)
        .map(({ start, end }) => ({ start, end: Math.min(end, offset) }));
  return {
    // What is inside their values, broken or not, does not matter here.
    items: sure
      .slice(0, maxItems)
      .map(({ start, end }) => readFrame(bytes.subarray(start, end), { outline: true })),
    whole: split.matched && sure.length <= maxItems,
  };
}

function opensBatch(bytes: Uint8Array): boolean {
  const first = bytes.findIndex((byte) => byte > SPACE);
  if (bytes[first] !== OPEN_ARRAY) return false;
  return bytes.subarray(first + 1).find((byte) => byte > SPACE) === OPEN_OBJECT;
}

/**
 * Returns the first items of the outermost array, as far as quotes and brackets tell; the last may be unended.
 * @param most how many are kept, because a text has room for millions
 */
function splitItems(bytes: Uint8Array, most: number): { items: JsonRange[]; matched: boolean } {
  const brackets = new OpenBrackets();
  const items: JsonRange[] = [];
  let start = -1;
  const end = (at: number): void => {
    if (start >= 0 && items.length < most) items.push({ start, end: at });
    start = -1;
  };
  const broken = (): { items: JsonRange[]; matched: boolean } => {
    end(bytes.length);
    return { items, matched: false };
  };
  for (let at = 0; at < bytes.length; at += 1) {
    // Only commas between the items count.
    if (brackets.depth > 1) at = skipPlain(bytes, at);
    if (at === bytes.length) break;
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    if (brackets.depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) end(at);
    else if (brackets.depth === 1 && start < 0) start = at;
    if (byte === QUOTE) {
      at = skipQuoted(bytes, at) - 1;
      if (at < 0) return broken();
    } else if (!brackets.take(byte)) {
      return broken();
    } else if (brackets.depth === 0) {
      const matched = bytes.subarray(at + 1).every((rest) => rest <= SPACE);
      return { items, matched };
    }
  }
  return broken();
}
