import { type JsonRange, runSteps } from "@touchstone/core/advanced";
import {
  OpenBrackets,
  STEP_BYTES,
  skipBlankSteps,
  skipPlain,
  skipQuotedSteps,
  skipShortString,
} from "./brackets.ts";
import { CLOSE_ARRAY, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from "./bytes.ts";
import type { Frame } from "./frame.ts";
import { readFrame } from "./read.ts";

/** What is certain about a batch that is not JSON. */
export interface BrokenBatch {
  /** The messages whose position is certain, in order. The last one may be cut off at the fault. */
  readonly items: readonly Frame[];
  /** Whether these are all the messages: the quotes and brackets of the text match up to its end. */
  readonly whole: boolean;
}

/**
 * Returns the messages of a frame that is not JSON and begins like a batch (JSON-RPC 2.0, section 6: an array of
 * objects). If quotes and brackets match up to the end, returns every item. Otherwise returns only those before the
 * fault: after it, what looks like a message may be part of a string. Undefined if the frame is JSON or begins in
 * another way.
 * @param maxItems if there are more, the others are left out and `whole` is false
 */
export function readBrokenBatch(frame: Frame, maxItems: number): BrokenBatch | undefined {
  return runSteps(brokenBatchSteps(frame, maxItems));
}

/** Runs {@link readBrokenBatch} in steps. The batch is then known: the next call for the same bytes reads nothing. */
export function* brokenBatchSteps(
  frame: Frame,
  maxItems: number,
): Generator<void, BrokenBatch | undefined, void> {
  const { bytes, scan } = frame;
  if (scan.error === undefined) return undefined;
  const split = yield* splitOf(bytes, maxItems + 1);
  if (split === undefined) return undefined;
  const { offset } = scan.error;
  const sure = split.matched
    ? split.items
    : split.items
        .filter(({ start }) => start < offset)
        .map(({ start, end }) => ({ start, end: Math.min(end, offset) }));
  return {
    // Only the items' own members are read; their values may be broken.
    items: sure
      .slice(0, maxItems)
      .map(({ start, end }) => readFrame(bytes.subarray(start, end), { outline: true })),
    whole: split.matched && sure.length <= maxItems,
  };
}

/** The items of the outermost array of a text, as far as quotes and brackets show. */
interface Split {
  /** The limit on the number of items with which this was read. */
  readonly most: number;
  readonly items: readonly JsonRange[];
  /** Whether quotes and brackets match up to the end of the text. */
  readonly matched: boolean;
}

/** From this size on, the result is cached. */
const KEPT_BYTES = 65_536;
const splits = new WeakMap<Uint8Array, Split>();

function* splitOf(bytes: Uint8Array, most: number): Generator<void, Split | undefined, void> {
  const known = splits.get(bytes);
  if (known?.most === most) return known;
  if (!(yield* opensBatch(bytes))) return undefined;
  const split = { most, ...(yield* splitItems(bytes, most)) };
  if (bytes.length >= KEPT_BYTES) splits.set(bytes, split);
  return split;
}

function* opensBatch(bytes: Uint8Array): Generator<void, boolean, void> {
  const first = yield* skipBlankSteps(bytes, 0);
  if (bytes[first] !== OPEN_ARRAY) return false;
  return bytes[yield* skipBlankSteps(bytes, first + 1)] === OPEN_OBJECT;
}

/**
 * Returns the first items of the outermost array, as far as quotes and brackets show; the last one may be incomplete.
 * @param most how many are kept, because a text has room for millions
 */
function* splitItems(bytes: Uint8Array, most: number): Generator<void, Omit<Split, "most">, void> {
  const brackets = new OpenBrackets();
  const items: JsonRange[] = [];
  let start = -1;
  const end = (at: number): void => {
    if (start >= 0 && items.length < most) items.push({ start, end: at });
    start = -1;
  };
  const broken = (): Omit<Split, "most"> => {
    end(bytes.length);
    return { items, matched: false };
  };
  for (let at = 0, pause = STEP_BYTES; at < bytes.length; at += 1) {
    if (at > pause) {
      pause = at + STEP_BYTES;
      yield;
    }
    // Only commas between the items count.
    if (brackets.depth > 1) at = skipPlain(bytes, at);
    if (at === bytes.length) break;
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    if (brackets.depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) end(at);
    else if (brackets.depth === 1 && start < 0) start = at;
    if (byte === QUOTE) {
      at = (skipShortString(bytes, at) ?? (yield* skipQuotedSteps(bytes, at))) - 1;
      if (at < 0) return broken();
    } else if (!brackets.take(byte)) {
      return broken();
    } else if (brackets.depth === 0) {
      const matched = (yield* skipBlankSteps(bytes, at + 1)) === bytes.length;
      return { items, matched };
    }
  }
  return broken();
}
