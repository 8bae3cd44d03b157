import { escapeUnsafe } from "../../json/quote.ts";

/** A character as a terminal shows it, and how many columns it takes there. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Text as a terminal shows it, on one line. */
export type Cells = readonly Cell[];

/** Characters that are drawn on the one before: marks, and vowels and finals of a Hangul syllable. */
const NARROWEST = /^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb]/u;
const HALF_WIDTH = /^[\uff61-\uffdc\uffe8-\uffee]/;
/**
 * Characters of two columns (Unicode Standard Annex 11, wide and fullwidth): those of East Asian scripts with
 * their punctuation and full forms, and those that are shown as emoji. A flag is two of one column each.
 */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\p{Emoji_Presentation}\u2329\u232a\u2630-\u2637\u2ff0-\u2fff\u3000-\u303e\u3099-\u30ff\u3190-\u31ff\u3200-\u3247\u3250-\u33ff\u4dc0-\u4dff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f265}]/u;
const FLAG = /^\p{Regional_Indicator}/u;

function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (NARROWEST.test(character)) return 0;
  return WIDE.test(character) && !HALF_WIDTH.test(character) && !FLAG.test(character) ? 2 : 1;
}

function cellOf(character: string): Cell {
  if (character === "\t") return { text: " ", width: 1 };
  const text = escapeUnsafe(character);
  return text === character ? { text, width: widthOf(text) } : { text, width: text.length };
}

/**
 * A text for a terminal: a tab as one blank, and what the terminal would act on or not show as escapes.
 */
export function cellsOf(text: string): Cells {
  return [...text].map(cellOf);
}

/** How many columns the characters take. */
export function columnsOf(cells: Cells): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/** As many of the first characters as fit into so many columns. */
export function firstOf(cells: Cells, columns: number): Cells {
  let taken = 0;
  const end = cells.findIndex(({ width }) => {
    taken += width;
    return taken > columns;
  });
  return end < 0 ? cells : cells.slice(0, end);
}

/** As many of the last characters as fit into so many columns. */
export function lastOf(cells: Cells, columns: number): Cells {
  return firstOf(cells.toReversed(), columns).toReversed();
}

/** The characters as one text. */
export function textOf(cells: Cells): string {
  return cells.map(({ text }) => text).join("");
}
