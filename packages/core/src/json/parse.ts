import type { JsonRange, ScanError, ScanOptions } from "./range.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

/** The value of a JSON text, or the reason why it has none. `offset` counts UTF-8 bytes. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | ({ readonly ok: false } & ScanError);

/**
 * Parses a JSON text (RFC 8259) with `JSON.parse`, with the grammar and limits of {@link scanJson}: it refuses bytes
 * that are not UTF-8 or nest deeper than `maxDepth` (default 10,000). The last of duplicate keys counts; a key
 * `__proto__` becomes an own property.
 *
 * Never throws: input that is neither text nor bytes is refused, and options of the wrong type are ignored.
 */
export function parseJson(
  source: Uint8Array | string,
  options: Pick<ScanOptions, "maxDepth"> = {},
): ParsedJson {
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  const { error } = scanJson(bytes, options);
  if (error !== undefined) return { ok: false, ...error };
  try {
    const value: unknown = JSON.parse(typeof source === "string" ? source : decodeUtf8(bytes));
    return { ok: true, value };
  } catch (cause) {
    // The text is too large for a string or a value of the engine.
    const message = `The text cannot be parsed: ${cause instanceof Error ? cause.message : cause}`;
    return { ok: false, code: "syntax", message, offset: 0 };
  }
}

/** Returns the text in a range that {@link scanJson} returned for the same bytes. */
export function jsonText(bytes: Uint8Array, range: JsonRange): string {
  return decodeUtf8(bytes, range.start, range.end);
}

/** The scanner reads longer texts faster. */
const MAX_LENGTH = 2048;

/**
 * Matches a number that a double might not hold: a double holds every decimal of up to 15 characters, but not with
 * every exponent. Strings may contain a match; most, such as a UUID, contain nothing that a number can follow. A
 * number that is the whole text is left to the scanner.
 */
const NOT_PLAIN = /[\s,:[]-?\d(?:[\d.]*[eE]|[\d.]{15})/;

/** Returns whether the code unit can begin a number: `-` or a digit. */
function beginsNumber(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
}

/** Returns how often a character occurs, up to `most`. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found < most; found++) {
    at = text.indexOf(character, at + 1);
  }
  return found;
}

/** Returns whether a JSON text cannot nest deeper than allowed: each level takes two brackets. */
function isFlat(text: string, maxDepth: number): boolean {
  if (text.length <= 2 * maxDepth) return true;
  return count(text, "{", maxDepth) + count(text, "[", maxDepth) < maxDepth;
}

/**
 * Parses a short JSON text if a quick check of its characters shows what the scanner would find: no more brackets than
 * the allowed depth permits, and nothing that looks like a number that a double might not hold, even inside strings.
 * @returns its value; undefined for every other text and for text that is not JSON, which is left to the scanner.
 */
export function parsePlain(text: string, maxDepth: number, maxBytes: number): unknown {
  const { length } = text;
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (length > MAX_LENGTH || 3 * length > maxBytes || beginsNumber(text.charCodeAt(0))) {
    return undefined;
  }
  if (NOT_PLAIN.test(text) || !isFlat(text, maxDepth)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
