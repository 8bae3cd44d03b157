import { unicodeEscapes } from "@touchstone/core/advanced";

/** The fewest characters of a secret that are hidden where a text was cut. */
const LEAST = 4;
/** The longest way to write a character: two escapes of four digits. */
const MAX_WAY = 12;

/** Returns the ways in which texts for people and models write a character. */
function waysOf(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0;
  const json = JSON.stringify(character).slice(1, -1);
  return [character, json, unicodeEscapes(character), `\\u{${code.toString(16)}}`];
}

/**
 * Replaces a secret in a text, also where its characters are escaped, and where the text was cut (`…`) after at least
 * four of them.
 */
export function hideSecret(text: string, secret: string, by: string): string {
  if (secret === "") return text;
  const ways = [...secret].map(waysOf);
  let shown = "";
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at, ways);
    if (end === undefined) at += 1;
    else {
      shown += text.slice(from, at) + by;
      from = end;
      at = end;
    }
  }
  return shown + text.slice(from);
}

/** Returns where a secret, or its beginning in a text that was cut, ends; undefined if none begins here. */
function endOf(
  text: string,
  start: number,
  ways: readonly (readonly string[])[],
): number | undefined {
  // A backslash may be a character of its own, or the first of an escape: each reading is followed.
  let ends: readonly number[] = [start];
  for (const [count, character] of ways.entries()) {
    const next = ends.flatMap((at) =>
      character.flatMap((way) => (text.startsWith(way, at) ? at + way.length : [])),
    );
    if (next.length === 0) {
      if (count < LEAST) return undefined;
      return ends.map((at) => cutAt(text, at, character)).find((end) => end !== undefined);
    }
    ends = [...new Set(next)];
  }
  return Math.max(...ends);
}

/** Returns where a text was cut (`…`), before a character or inside its escape; undefined if it was not cut here. */
function cutAt(text: string, at: number, ways: readonly string[]): number | undefined {
  const left = text.slice(at, at + MAX_WAY);
  const end = left.indexOf("…");
  if (end < 0) return undefined;
  return ways.some((way) => way.startsWith(left.slice(0, end))) ? at + end : undefined;
}
