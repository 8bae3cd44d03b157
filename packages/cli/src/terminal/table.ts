import stringWidth from "string-width";
import { safeText } from "./safe-text.ts";

const GAP = "  ";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Largest width of the column in terminal cells; longer text is cut and ends with `…`. */
  readonly max?: number;
  /** Whether it holds numbers, which are aligned to the end of the title. */
  readonly isNumber?: boolean;
  /** Smallest width to which it may be cut if a line is wider than the terminal; absent if it must not be cut. */
  readonly least?: number;
  /** If cutting is not enough, columns are removed in ascending order of this number. */
  readonly leftOut?: number;
}

/** Colors a cell that is already cut and padded. */
export type Paint = (text: string, row: number | "title", column: number) => string;

/**
 * Returns the lines of a table with one line per row. Cells are external text: they are escaped by {@link safeText}
 * and cut to a width in terminal cells (two for East Asian wide characters). If a line is wider than the terminal,
 * the widest columns are cut first, then columns are removed; the remaining columns may still be too wide.
 *
 * @param width of the terminal in cells; `undefined` if there is no limit: then only `max` applies
 * @returns lines with a line break at each end, the titles first
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { readonly width?: number | undefined; readonly paint?: Paint } = {},
): string {
  const { width = Number.POSITIVE_INFINITY, paint = (text) => text } = options;
  const safe = rows.map((row) => columns.map((_, index) => safeText(row[index] ?? "")));
  const shown = layOut(columns, safe, width);
  const line = (cells: readonly string[], row: number | "title"): string => {
    const painted = shown.map(({ index, cells: wide }, place) => {
      const cut = cutText(cells[index] ?? "", wide);
      const pad = " ".repeat(Math.max(0, wide - stringWidth(cut)));
      if (columns[index]?.isNumber === true) return paint(pad + cut, row, index);
      return paint(place === shown.length - 1 ? cut : cut + pad, row, index);
    });
    return `${painted.join(GAP)}\n`;
  };
  const titles = columns.map((column) => column.title);
  return line(titles, "title") + safe.map((cells, row) => line(cells, row)).join("");
}

/** A column to show: its index and its width. */
interface Shown {
  readonly index: number;
  readonly least: number;
  cells: number;
}

function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  total: number,
): readonly Shown[] {
  let left = columns.map(({ title, max = Number.POSITIVE_INFINITY, least }, index): Shown => {
    const widest = rows.reduce(
      (most, row) => Math.max(most, stringWidth(row[index] ?? "")),
      stringWidth(title),
    );
    const cells = Math.min(max, widest);
    return { index, cells, least: Math.min(cells, least ?? cells) };
  });
  const placeOf = ({ index }: Shown): number | undefined => columns[index]?.leftOut;
  for (;;) {
    const shown = left.map((one) => ({ ...one }));
    const [next] = left
      .filter((one) => placeOf(one) !== undefined)
      .sort((one, other) => (placeOf(one) ?? 0) - (placeOf(other) ?? 0));
    if (squeeze(shown, total) || next === undefined) return shown;
    left = left.filter((one) => one !== next);
  }
}

/** Reduces the widest columns that can be cut. Returns whether a line then fits into `total`. */
function squeeze(shown: readonly Shown[], total: number): boolean {
  const gaps = GAP.length * (shown.length - 1);
  let excess = shown.reduce((sum, { cells }) => sum + cells, gaps) - total;
  for (; excess > 0; excess -= 1) {
    const [first, ...others] = shown.filter(({ cells, least }) => cells > least);
    if (first === undefined) return false;
    const widest = others.reduce((most, one) => (one.cells > most.cells ? one : most), first);
    widest.cells -= 1;
  }
  return true;
}

/** Cuts text to a width in terminal cells, and ends it with `…` if it was cut. */
export function cutText(text: string, width: number): string {
  if (stringWidth(text) <= width) {
    return text;
  }
  let kept = "";
  let cells = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    cells += stringWidth(segment);
    if (cells > width - 1) {
      break;
    }
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}
