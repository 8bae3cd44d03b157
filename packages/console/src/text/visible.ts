import { UNSAFE_CHARACTERS } from "@touchstone/core/plain";

/** A piece of external text: shown as it is, or named because it would be invisible. */
export interface TextPiece {
  readonly text: string;
  /** Whether the piece names a character that hides, reorders or fakes text. */
  readonly hidden: boolean;
}

/** Pattern source for one character that hides, reorders or fakes text, including line feed and tab. */
export const HIDDEN: string = `[${UNSAFE_CHARACTERS}\\p{Co}]`;
const ONE_HIDDEN = new RegExp(`^${HIDDEN}$`, "u");

/**
 * Matches a whole emoji, which may contain joiners and variation selectors, or a character that hides, reorders or
 * fakes text.
 */
const NOTABLE = new RegExp(`\\p{RGI_Emoji}|${HIDDEN}`, "gv");

/**
 * Like {@link NOTABLE}, but matches anything that may be an emoji, or else control and format characters (Unicode TR
 * 36, section 2.10), line separators, surrogates, private use, and characters that display as nothing. Looking for
 * whole emoji everywhere would take 50 times as long.
 */
const CANDIDATES = new RegExp(
  `(?:\\p{Extended_Pictographic}|[#*0-9](?=\\ufe0f))[\\p{Emoji}\\u200d\\ufe0f\\u20e3\\u{e0020}-\\u{e007f}]*|${HIDDEN}`,
  "gu",
);

interface Found {
  readonly match: string;
  readonly index: number;
}

function* notable(text: string): Generator<Found, void, undefined> {
  for (const { 0: match, index } of text.matchAll(CANDIDATES)) {
    if (ONE_HIDDEN.test(match)) yield { match, index };
    else
      for (const inner of match.matchAll(NOTABLE)) {
        yield { match: inner[0], index: index + inner.index };
      }
  }
}

function isHidden(match: string): boolean {
  return match !== "\n" && match !== "\t" && ONE_HIDDEN.test(match);
}

/**
 * Splits a text into pieces, in order: each invisible character is a separate piece that names it, as `[U+202E]`.
 * Line feeds and tabs are kept. The pieces contain no other invisible characters.
 */
export function visiblePieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { match, index } of notable(text)) {
    if (!isHidden(match)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
    const code = (match.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    pieces.push({ text: `[U+${code}]`, hidden: true });
    from = index + match.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** Returns {@link visiblePieces} as one text, for attributes and titles. */
export function visible(text: string): string {
  return visiblePieces(text)
    .map((piece) => piece.text)
    .join("");
}
