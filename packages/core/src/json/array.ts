import { COMMA, QUOTE } from "./bytes.ts";
import type { JsonRange } from "./range.ts";
import { skipQuoted } from "./skip.ts";

/**
 * Returns the ranges of an array's items, without surrounding white space, in order.
 * @param bytes a text that `scanJson` accepted
 * @param array the array's range in it, from its opening bracket to just after its closing bracket
 */
export function* arrayItems(
  bytes: Uint8Array,
  array: JsonRange,
): Generator<JsonRange, void, undefined> {
  const last = array.end - 1;
  let depth = 0;
  let start = -1;
  let end = -1;
  for (let i = array.start + 1; i < last; ) {
    const byte = bytes[i] as number;
    if (byte === COMMA && depth === 0) {
      yield { start, end };
      start = -1;
      i++;
      continue;
    }
    if (byte > 0x20) {
      if (start < 0) start = i;
      // '[' and '{' differ in one bit, and so do their closing brackets.
      if ((byte | 0x20) === 0x7b) depth++;
      else if ((byte | 0x20) === 0x7d) depth--;
      i = byte === QUOTE ? skipQuoted(bytes, i) : i + 1;
      end = i;
    } else {
      i++;
    }
  }
  if (start >= 0) yield { start, end };
}
