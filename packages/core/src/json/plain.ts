/** Longer texts are quicker read by the scanner. */
const MAX_LENGTH = 2048;

/**
 * A number that a double might not hold: it holds every decimal of up to 15 characters, but not with every
 * exponent. Strings may look like that inside; most, such as a UUID, have nothing in them that a number can
 * follow. A number that is the whole text is left to the scanner.
 */
const NOT_PLAIN = /[\s,:[]-?\d(?:[\d.]*[eE]|[\d.]{15})/;

/** Whether the code unit begins a number: `-` or a digit. */
function beginsNumber(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
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
 * Parses a short JSON text of which a glance tells what the scanner would find: no more brackets than
 * levels allowed, and nothing like a number that a double might not hold; inside of strings this counts, too.
 * @returns its value; undefined for every other text, and for one that is not JSON: the scanner tells.
 */
export function parsePlain(text: string, maxDepth: number, maxBytes: number): unknown {
  const { length } = text;
  // A UTF-16 code unit has at most three bytes of UTF-8.
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
