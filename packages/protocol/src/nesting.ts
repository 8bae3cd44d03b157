import { type JsonRange, skipQuoted } from "@touchstone/core";
import { OpenBrackets, skipPlain } from "./brackets.ts";
import { OPEN_OBJECT, QUOTE, SPACE } from "./bytes.ts";

/**
 * Returns whether a value is in the outermost object of a text that is not JSON, as far as its quotes and
 * brackets tell: they all match, the object is the whole text, and the value begins in it outside
 * every string. A text that was cut off, or has a quote too many, is unclear and gives false.
 */
export function standsInRoot(bytes: Uint8Array, value: JsonRange): boolean {
  const brackets = new OpenBrackets();
  let began = false;
  let found = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const from = at;
    if (brackets.depth > 0) at = skipPlain(bytes, at);
    if (from <= value.start && value.start <= at) {
      found = brackets.depth === 1 && brackets.outermost === OPEN_OBJECT;
    }
    if (at === bytes.length) break;
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    if (brackets.depth === 0 && began) return false;
    if (byte === QUOTE && brackets.depth > 0) {
      at = skipQuoted(bytes, at) - 1;
      if (at < 0) return false;
    } else if (!brackets.take(byte)) {
      return false;
    }
    // The text must begin with a bracket.
    if (!began && brackets.depth === 0) return false;
    began = true;
  }
  return found && brackets.depth === 0;
}
