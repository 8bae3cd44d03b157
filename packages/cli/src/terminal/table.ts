import stringWidth from "string-width";
import { safeText } from "./safe-text.ts";

const GAP = "  ";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Widest that the column gets, in terminal cells; longer text is cut with `…`. */
  readonly max?: number;
  /** Takes the cells that the others leave, at least this many. At most one column has it. */
  readonly flexible?: number;
}

/** Colours a cell that is already cut and padded. */
export type Paint = (text: string, row: number | "title", column: number) => string;

/**
 * Lines of a table with one line per row. Cells are text from outside: they are shown by
 * {@link safeText}, and cut by the width that a terminal gives them (two cells for East Asian wide
 * characters).
 *
 * @param width of the terminal in cells; `undefined` for no limit, then only `max` cuts
 * @returns lines with a line break at each end, the titles first
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { readonly width?: number | undefined; readonly paint?: Paint } = {},
): string {
  const { width, paint = (text) => text } = options;
  const safe = rows.map((row) => columns.map((_, index) => safeText(row[index] ?? "")));
  const widths = columnWidths(columns, safe, width);
  const line = (cells: readonly string[], row: number | "title"): string => {
    const painted = cells.map((cell, column) => {
      const cut = cutText(cell, widths[column] ?? 0);
      const isLast = column === columns.length - 1;
      return paint(isLast ? cut : padText(cut, widths[column] ?? 0), row, column);
    });
    return `${painted.join(GAP)}\n`;
  };
  const titles = columns.map((column) => column.title);
  return line(titles, "title") + safe.map((cells, row) => line(cells, row)).join("");
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  total: number | undefined,
): readonly number[] {
  const natural = columns.map((column, index) => {
    const widest = rows.reduce(
      (most, row) => Math.max(most, stringWidth(row[index] ?? "")),
      stringWidth(column.title),
    );
    return Math.min(widest, column.max ?? Number.POSITIVE_INFINITY);
  });
  if (total === undefined) {
    return natural;
  }
  const sum = natural.reduce((cells, cell) => cells + cell, GAP.length * (columns.length - 1));
  const excess = Math.max(0, sum - total);
  return natural.map((cells, index) => {
    const least = columns[index]?.flexible;
    return least === undefined ? cells : Math.max(Math.min(cells, least), cells - excess);
  });
}

/** Cuts text to a width in terminal cells, with `…` at the end where something is missing. */
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

function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
