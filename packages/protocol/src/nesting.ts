import type { JsonRange } from "@touchstone/core";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Deeper texts are taken as unclear. */
const MAX_DEPTH = 10_000;

/**
 * Whether a value stands in the outermost object of a text that is no JSON, as far as its quotes and
 * brackets tell: they all match, the object is the whole text, and the value begins in it outside of
 * every string. A text that was cut off, or has a quote too many, is unclear and gives false.
 */
export function standsInRoot(bytes: Uint8Array, value: JsonRange): boolean {
  const open = new Uint8Array(MAX_DEPTH);
  let depth = 0;
  let began = false;
  let found = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (at === value.start) found = depth === 1 && open[0] === OPEN_OBJECT;
    if (byte > SPACE && began && depth === 0) return false;
    if (byte === QUOTE) {
      if (depth === 0) return false;
      at = closingQuote(bytes, at);
      if (at < 0) return false;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === MAX_DEPTH) return false;
      open[depth] = byte;
      depth += 1;
      began = true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      // An opening bracket's code is two below that of its closing one.
      if (depth === 0 || open[depth - 1] !== byte - 2) return false;
      depth -= 1;
    } else if (byte > SPACE && !began) {
      return false;
    }
  }
  return found && depth === 0;
}

function closingQuote(bytes: Uint8Array, opening: number): number {
  for (let at = opening + 1; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return -1;
}
