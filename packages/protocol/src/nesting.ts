import type { JsonRange } from "@touchstone/core/advanced";
import {
  OpenBrackets,
  STEP_BYTES,
  skipPlain,
  skipQuotedSteps,
  skipShortString,
} from "./brackets.ts";
import { OPEN_OBJECT, QUOTE, SPACE } from "./bytes.ts";

/**
 * Returns the position at which the bracket at `start` and all brackets inside it are closed; undefined if quotes or
 * brackets do not match, or if the text ends before that. Runs in steps.
 * @param start the position of a bracket
 * @param brackets to use: making them costs more than reading a short value
 */
export function* valueEndSteps(
  bytes: Uint8Array,
  start: number,
  brackets: OpenBrackets,
): Generator<void, number | undefined, void> {
  brackets.depth = 0;
  for (let at = start, pause = start + STEP_BYTES; at < bytes.length; at += 1) {
    if (at > pause) {
      pause = at + STEP_BYTES;
      yield;
    }
    if (brackets.depth > 0) at = skipPlain(bytes, at);
    if (at === bytes.length) break;
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = (skipShortString(bytes, at) ?? (yield* skipQuotedSteps(bytes, at))) - 1;
      if (at < 0) return undefined;
    } else if (!brackets.take(byte)) return undefined;
    else if (brackets.depth === 0) return at + 1;
  }
  return undefined;
}

/**
 * Returns whether a value is in the outermost object of a text that is not JSON, as far as its quotes and brackets
 * show: they all match, the object is the whole text, and the value begins in it outside every string. Returns false
 * for a text that was cut off or has a quote too many, because the structure of such a text is not certain. Runs in
 * steps.
 */
export function* isInRootSteps(
  bytes: Uint8Array,
  value: JsonRange,
): Generator<void, boolean, void> {
  const brackets = new OpenBrackets();
  let began = false;
  let found = false;
  for (let at = 0, pause = STEP_BYTES; at < bytes.length; at += 1) {
    if (at > pause) {
      pause = at + STEP_BYTES;
      yield;
    }
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
      at = (skipShortString(bytes, at) ?? (yield* skipQuotedSteps(bytes, at))) - 1;
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
