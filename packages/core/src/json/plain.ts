/** Longer texts are quicker read by the scanner. */
const MAX_LENGTH = 2048;

/**
 * What is not ASCII, and numbers that a double might not hold: it holds every decimal of up to 15
 * characters, but not with every exponent. Strings may look like that inside; most, such as a UUID,
 * have nothing in them that a number can follow.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const NOT_PLAIN = /[^\x00-\x7f]|(?:^|[\s,:[])-?\d(?:[\d.]*[eE]|[\d.]{15})/;

/** A parsed text, and its size in bytes of UTF-8. */
export interface PlainJson {
  readonly value: unknown;
  readonly bytes: number;
}

/** Counts a character up to `most`. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found < most; found++) {
    at = text.indexOf(character, at + 1);
  }
  return found;
}

/** Whether a text that is JSON cannot nest deeper: each level takes two brackets. */
function isFlat(text: string, maxDepth: number): boolean {
  if (text.length <= 2 * maxDepth) return true;
  return count(text, "{", maxDepth) + count(text, "[", maxDepth) < maxDepth;
}

/**
 * Parses a short JSON text of which a glance tells what the scanner would find: ASCII only, no more
 * brackets than levels allowed, and nothing like a number that a double might not hold; inside of
 * strings this counts, too.
 * @returns undefined for every other text, and for one that is not JSON: the scanner tells.
 */
export function parsePlain(
  text: string,
  maxDepth: number,
  maxBytes: number,
): PlainJson | undefined {
  const bytes = text.length;
  if (bytes > MAX_LENGTH || bytes > maxBytes || NOT_PLAIN.test(text)) return undefined;
  if (!isFlat(text, maxDepth)) return undefined;
  try {
    return { value: JSON.parse(text), bytes };
  } catch {
    return undefined;
  }
}
