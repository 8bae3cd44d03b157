import { BACKSLASH, COMMA, QUOTE } from "./bytes.ts";
import type { JsonRange } from "./range.ts";
import { skipLongValue } from "./skip.ts";
import { skipSpace } from "./walk.ts";

/** How many bytes to read between two items, or two pauses. */
const STEP_BYTES = 131_072;

/**
 * Yields the ranges of an array's items, without surrounding white space, in order; undefined for a pause, so that a
 * long item does not block everything else.
 * @param bytes a text that `scanJson` accepted
 * @param array the array's range in it, from its opening bracket to just after its closing bracket
 * @param stepBytes how many bytes to read between two yields
 */
export function* arrayItemSteps(
  bytes: Uint8Array,
  array: JsonRange,
  stepBytes: number = STEP_BYTES,
): Generator<JsonRange | undefined, void, undefined> {
  const last = array.end - 1;
  let depth = 0;
  let start = -1;
  let end = -1;
  let isInString = false;
  let pause = array.start + stepBytes;
  for (let i = array.start + 1; i < last; ) {
    if (i >= pause) {
      yield undefined;
      pause = i + stepBytes;
    }
    const byte = bytes[i] as number;
    if (isInString) {
      isInString = byte !== QUOTE;
      i += byte === BACKSLASH ? 2 : 1;
      end = i;
    } else if (byte === COMMA && depth === 0) {
      yield { start, end };
      pause = i + stepBytes;
      start = -1;
      i++;
    } else {
      i++;
      if (byte <= 0x20) continue;
      if (start < 0) start = i - 1;
      end = i;
      if (byte === QUOTE) isInString = true;
      // '[' and '{' differ in one bit, and so do their closing brackets.
      else if ((byte | 0x20) === 0x7b) depth++;
      else if ((byte | 0x20) === 0x7d) depth--;
    }
  }
  if (start >= 0) yield { start, end };
}

/**
 * Yields the items of {@link arrayItemSteps} without pauses, and several times as fast if they are long: the scanner
 * finds the end of each.
 */
export function* arrayItems(
  bytes: Uint8Array,
  array: JsonRange,
): Generator<JsonRange, void, undefined> {
  const last = array.end - 1;
  for (let start = skipSpace(bytes, array.start + 1, last); start < last; ) {
    const after = skipLongValue(bytes, start);
    // This happens only in a text that is not JSON: an item does not end, or there is no item between two commas.
    const end = after <= start || after > last ? last : after;
    yield { start, end };
    const comma = skipSpace(bytes, end, last);
    start = skipSpace(bytes, comma + 1, last);
  }
}
