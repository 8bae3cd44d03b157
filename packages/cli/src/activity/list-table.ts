import type { ActivityRecord } from "@touchstone/gateway";
import picocolors from "picocolors";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";

/** What `show` is asked by, and what is looked for in a list, stays on the narrowest terminal. */
const COLUMNS: readonly Column[] = [
  { title: "TIME", leftOut: 6 },
  { title: "TYPE", least: 8, leftOut: 4 },
  { title: "SERVER", max: 24, least: 8, leftOut: 5 },
  { title: "TOOL", max: 32, least: 8, instead: 1 },
  { title: "DIRECTION", leftOut: 2 },
  { title: "MODE", leftOut: 1 },
  { title: "DECISION/STATUS" },
  { title: "REASON", least: 16, leftOut: 3 },
  { title: "ID" },
];
const VERDICT_COLUMN = 6;

/** What was decided and how it ended, as one word where both say the same. */
export function verdictOf(record: ActivityRecord): string {
  const words = [record.decision, record.status].filter((word) => word !== null);
  return [...new Set(words)].join("/");
}

/**
 * Records as a table, one line each.
 *
 * @param width of the terminal; cells are cut and columns left out so that a line fits
 */
export function listTable(
  records: readonly ActivityRecord[],
  options: { readonly width: number | undefined; readonly colour: boolean },
): string {
  const colours = picocolors.createColors(options.colour);
  const paint: Paint = (text, row, column) => {
    if (row === "title") {
      return colours.bold(text);
    }
    return column === VERDICT_COLUMN ? paintVerdict(text, options.colour) : text;
  };
  return renderTable(COLUMNS, records.map(cells), { width: options.width, paint });
}

/** Colours a verdict by the worst word in it. */
export function paintVerdict(text: string, colour: boolean): string {
  const colours = picocolors.createColors(colour);
  if (/blocked|rejected|error/.test(text)) {
    return colours.red(text);
  }
  if (text.includes("warning")) {
    return colours.yellow(text);
  }
  return colours.green(text);
}

function cells(record: ActivityRecord): readonly string[] {
  return [
    record.time,
    record.type,
    record.server ?? "",
    record.tool ?? "",
    record.direction ?? "",
    record.mode ?? "",
    verdictOf(record),
    record.reason ?? "",
    record.id,
  ];
}
