import { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";

/** Text nested deeper than this counts as unclear. */
const MAX_DEPTH = 10_000;

/** By byte: 1 for every byte that is neither a quote nor a bracket. */
const PLAIN = new Uint8Array(256).fill(1);
for (const byte of [QUOTE, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY]) PLAIN[byte] = 0;

/** Returns the position of the next quote or bracket, or the end: even a text of many megabytes has few of them. */
export function skipPlain(bytes: Uint8Array, start: number): number {
  let at = start;
  while (PLAIN[bytes[at] as number] === 1) at += 1;
  return at;
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
   * Takes the next byte outside strings, whatever it is.
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
