import { skipInQuotes, skipInQuotesSteps } from "@touchstone/core/advanced";
import { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from "./bytes.ts";

/** Text nested deeper than this counts as unclear. */
const MAX_DEPTH = 10_000;

/** By byte: 1 for every byte that is neither a quote nor a bracket. */
const PLAIN = new Uint8Array(256).fill(1);
for (const byte of [QUOTE, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY]) PLAIN[byte] = 0;

/** The approximate number of bytes of a text that one step reads. */
export const STEP_BYTES = 131_072;

/**
 * Returns the position of the next quote or bracket: even a text of many megabytes has few of them. If there is none
 * within a step, returns where the step ends, or the end of the text.
 */
export function skipPlain(bytes: Uint8Array, start: number): number {
  const end = Math.min(start + STEP_BYTES, bytes.length);
  let at = start;
  while (at < end && PLAIN[bytes[at] as number] === 1) at += 1;
  return at;
}

/** Most strings end within this many bytes. */
const NEAR_BYTES = 1_024;

/** Returns the offset after a string whose opening quote is at `at`; undefined if it does not end soon. */
export function skipShortString(bytes: Uint8Array, at: number): number | undefined {
  const after = skipInQuotes(bytes, at + 1, Math.min(at + NEAR_BYTES, bytes.length));
  return after < 0 ? undefined : after;
}

/** Returns the offset after a string whose opening quote is at `at`, or -1 if it is cut off, in steps. */
export function skipQuotedSteps(bytes: Uint8Array, at: number): Generator<void, number, void> {
  return skipInQuotesSteps(bytes, at + 1, STEP_BYTES);
}

/** Returns the position of the next byte that is not a space or a control character, or the end, in steps. */
export function* skipBlankSteps(bytes: Uint8Array, from: number): Generator<void, number, void> {
  for (let at = from, pause = from + STEP_BYTES; ; at += 1) {
    if (at >= bytes.length || (bytes[at] as number) > SPACE) return at;
    if (at < pause) continue;
    pause = at + STEP_BYTES;
    yield;
  }
}

/** The brackets that are open at a place in a text that is not JSON. */
export class OpenBrackets {
  depth = 0;
  readonly #open = new Uint8Array(MAX_DEPTH);

  /** The outermost one; undefined if there is none. */
  get outermost(): number | undefined {
    return this.depth === 0 ? undefined : this.#open[0];
  }

  /**
   * Processes the next byte outside strings, whether or not it is a bracket.
   * @returns false if it closes a bracket other than the last one opened, or closes one too many
   */
  take(byte: number): boolean {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (this.depth === MAX_DEPTH) return false;
      this.#open[this.depth++] = byte;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      // The code of an opening bracket is two below that of its closing bracket.
      if (this.depth === 0 || this.#open[this.depth - 1] !== byte - 2) return false;
      this.depth--;
    }
    return true;
  }
}
