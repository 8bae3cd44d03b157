import { escapeUnsafe } from "../../json/quote.ts";
import { decodeUtf8 } from "../../json/text.ts";
import { isUnchecked } from "../../result.ts";
import { explainWithin } from "../explain/explain.ts";
import type { FactKind } from "../explain/fact.ts";
import { describeIssue } from "../explain/sentence.ts";
import { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { adviceFor } from "./advice.ts";
import {
  type CheckedDocument,
  isAboutKey,
  locatePlaces,
  type RequestedPlace,
  type Span,
} from "./document.ts";

/** A character as a terminal shows it, and its width in columns. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** A text as a terminal shows it, on one line. */
export type TerminalCells = readonly Cell[];

/** Characters that are drawn onto the previous one: marks, and vowels and finals of a Hangul syllable. */
const NARROWEST = /^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb]/u;
const HALF_WIDTH = /^[\uff61-\uffdc\uffe8-\uffee]/;
/**
 * Characters that take two columns (Unicode Standard Annex 11, wide and fullwidth): those of East Asian scripts with
 * their punctuation and full forms, and those shown as emoji. A flag is two characters of one column each.
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
 * Returns a text for a terminal: a tab becomes one blank, and what the terminal would act on or not show becomes an
 * escape.
 */
export function terminalCells(text: string): TerminalCells {
  return [...text].map(cellOf);
}

/** Returns the width of the characters in columns. */
export function cellsWidth(cells: TerminalCells): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/** Returns as many of the first characters as fit into this many columns. */
export function firstCells(cells: TerminalCells, columns: number): TerminalCells {
  let taken = 0;
  const end = cells.findIndex(({ width }) => {
    taken += width;
    return taken > columns;
  });
  return end < 0 ? cells : cells.slice(0, end);
}

/** Returns as many of the last characters as fit into this many columns. */
export function lastCells(cells: TerminalCells, columns: number): TerminalCells {
  return firstCells(cells.toReversed(), columns).toReversed();
}

/** Returns the characters as one text. */
export function cellsText(cells: TerminalCells): string {
  return cells.map(({ text }) => text).join("");
}

/** What the terminal can show. A number that is not valid counts as not given. */
export interface TerminalOptions {
  /** Whether to use colors, with the ANSI codes of ECMA-48. Default false. */
  readonly color?: boolean;
  /** Width of the terminal in columns, at least 40. Default 100. */
  readonly width?: number;
  /** Maximum number of errors listed, and of warnings listed; the others are only counted. Default 50. */
  readonly maxListed?: number;
}

const WIDTH = 100;
const MAX_LISTED = 50;

function least(value: unknown, minimum: number, fallback: number): number {
  return typeof value === "number" && value >= minimum ? value : fallback;
}

function painter(color: boolean): (code: number, text: string) => string {
  return (code, text) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
}

type Paint = ReturnType<typeof painter>;

/** Returns the line of the text that contains an issue, cut around it, with a caret under the place. */
function excerpt(
  bytes: Uint8Array,
  { from, to, start }: Span,
  width: number,
  paint: Paint,
): string[] {
  const first = bytes.lastIndexOf(0x0a, from - 1) + 1;
  const lineStart = from === 0 ? 0 : first;
  const next = bytes.indexOf(0x0a, from);
  const feed = next < 0 ? bytes.length : next;
  // The carriage return of a CRLF does not belong to the line.
  const lineEnd = next > from && bytes[next - 1] === 0x0d ? next - 1 : feed;
  const label = `${start.line} | `;
  const room = Math.max(20, width - label.length - 2);
  // A character takes up to four bytes; what does not fit is cut off below.
  const before = decodeUtf8(bytes, Math.max(lineStart, from - 2 * room), from);
  const marked = decodeUtf8(bytes, from, Math.min(to, lineEnd, from + 4 * room));
  const after = decodeUtf8(bytes, Math.min(to, lineEnd), Math.min(lineEnd, to + 4 * room));
  const [ahead, behind] = [terminalCells(before), terminalCells(after)];
  const isCut = from - lineStart > 2 * room;
  const columns = cellsWidth(ahead) + cellsWidth(terminalCells(marked)) + cellsWidth(behind);
  const lead = !isCut && columns <= room ? ahead : lastCells(ahead, Math.floor(room / 3));
  const leading = cellsWidth(lead);
  const shown = firstCells(terminalCells(marked), room - leading);
  const showing = cellsWidth(shown);
  const rest = firstCells(behind, room - leading - showing);
  const caret = `${" ".repeat(label.length + leading)}${"^".repeat(Math.max(1, showing))}`;
  return [
    `    ${paint(2, label)}${cellsText(lead)}${paint(31, cellsText(shown))}${cellsText(rest)}`.trimEnd(),
    `    ${paint(31, caret)}`,
  ];
}

function head(document: CheckedDocument, paint: Paint): string {
  const { check, name, line } = document;
  const at = escapeUnsafe(line === undefined ? name : `${name}:${line}`);
  if (check.valid) return `${paint(32, "valid")}    ${at}`;
  if (isUnchecked(check)) return `${paint(33, "not checked")}  ${at}`;
  const count = check.errors.length + (check.truncated ?? 0);
  return `${paint(31, "invalid")}  ${at}: ${count} issue${count === 1 ? "" : "s"}`;
}

/** Something to report, and the place that it is about. */
interface Entry extends RequestedPlace {
  readonly title: string;
  /** Set if there is no place to show. */
  readonly isNote?: true;
}

const KEYS: ReadonlySet<FactKind> = new Set(["unknown", "rename", "name"]);

function entriesOf({ check }: CheckedDocument, paint: Paint, most: number): readonly Entry[] {
  // An error in the text itself has its own words.
  const isJudged = check.outcome === "violation" && check.errors.every(({ keyword }) => keyword);
  const lookup = new SuggestionLookup();
  const facts = isJudged ? explainWithin(check, lookup) : [];
  const errors: Entry[] = isJudged
    ? facts.slice(0, most).map((fact) => {
        return { ...fact, isKey: KEYS.has(fact.kind), title: adviceFor(fact, lookup) };
      })
    : check.errors.slice(0, most).map((issue) => ({
        path: issue.path,
        isKey: false,
        title: describeIssue(issue),
      }));
  const warnings = check.warnings.slice(0, most).map((issue) => {
    const title = `${paint(33, "warning")}: ${describeIssue(issue)}`;
    return { path: issue.path, isKey: isAboutKey(issue), title };
  });
  const found = isJudged ? facts.length : check.errors.length;
  const more = found - errors.length + (check.truncated ?? 0);
  const rest =
    more > 0 ? [{ path: "", isKey: false, title: `and ${more} more`, isNote: true as const }] : [];
  return [...errors, ...rest, ...warnings];
}

/**
 * Returns a checked document for a terminal: a line that says whether it is valid, then each thing that is wrong, up
 * to `maxListed`, with its line and column, the line of the text and a caret under the place. Shows the payload, with
 * its control, hidden and bidirectional characters as escapes.
 */
export function renderForTerminal(
  document: CheckedDocument,
  options: TerminalOptions = {},
): string {
  // An untyped caller may pass null.
  const { color, width: columns, maxListed } = options ?? {};
  const paint = painter(color === true);
  const width = Math.max(40, least(columns, Number.NEGATIVE_INFINITY, WIDTH));
  const { bytes } = document;
  const entries = entriesOf(document, paint, least(maxListed, 0, MAX_LISTED));
  const spans = locatePlaces(document, entries);
  const lines = entries.flatMap(({ title, isNote }, i) => {
    const span = spans?.[i];
    if (bytes === undefined || span === undefined || isNote) return [`  ${title}`];
    const at = paint(1, `${span.start.line}:${span.start.column}`);
    return [`  ${at} ${title}`, ...excerpt(bytes, span, width, paint)];
  });
  return `${[head(document, paint), ...lines].join("\n")}\n`;
}
