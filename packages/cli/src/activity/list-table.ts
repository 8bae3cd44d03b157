import {
  type ActivityRecord,
  fieldLabel,
  RECORD_FIELDS,
} from "@touchstone/gateway/activity/record";
import picocolors from "picocolors";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";
import { timeOfDay } from "../terminal/time-of-day.ts";

/** The columns on a terminal: when, who, how it ended, why, and the id for `show`. */
const TERMINAL_COLUMNS: readonly Column[] = [
  { title: "TIME", leftOut: 3 },
  { title: "TYPE", leftOut: 1 },
  { title: "SERVER/TOOL", max: 44, least: 14 },
  { title: "STATUS" },
  { title: "REASON", least: 24, leftOut: 2 },
  { title: "ID" },
];
const STATUS_COLUMN = 3;

/** Returns the decision and the status, as one word if both are the same. */
export function verdictOf(record: ActivityRecord): string {
  const words = [record.decision, record.status].filter((word) => word !== null);
  return [...new Set(words)].join("/");
}

/**
 * Returns records as a table, one line each.
 *
 * @param options.width of the terminal; cells are cut and columns left out so that a line fits. Undefined for a pipe:
 *   nothing is cut
 * @param options.now decides which times are of today
 * @param options.ids how a terminal shows ids; default: whole
 */
export function listTable(
  records: readonly ActivityRecord[],
  options: {
    readonly width: number | undefined;
    readonly ids: ReadonlyMap<string, string>;
    readonly now: Date;
    readonly colour: boolean;
  },
): string {
  const { width, ids, now, colour } = options;
  if (width === undefined) {
    const columns = WIDE.filter(({ isWide }) => isWide !== true);
    return wholeTable(records, columns, colour);
  }
  const rows = records.map((record) => shortCells(record, ids.get(record.id) ?? record.id, now));
  return renderTable(TERMINAL_COLUMNS, rows, { width, paint: painting(STATUS_COLUMN, colour) });
}

interface WholeColumn extends Column {
  readonly of: (record: ActivityRecord) => unknown;
  /** Only a wide table has it; the others are for pipes. */
  readonly isWide?: true;
}

/** Columns that may be long come last. */
const LAST: readonly string[] = ["issues", "reason", "id"];

/** A record's columns in a wide table: everything that fits on a line, uncut. */
const WIDE: readonly WholeColumn[] = RECORD_FIELDS.flatMap(([name, field]) =>
  field.list === undefined || name === "status" ? [] : [{ name, column: columnOf(name, field) }],
)
  .toSorted((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name))
  .map(({ column }) => column);

type RecordField = (typeof RECORD_FIELDS)[number];

function columnOf(name: RecordField[0], field: RecordField[1]): WholeColumn {
  const wide = field.list === "wide" ? ({ isWide: true } as const) : {};
  if (name === "decision") return { title: "DECISION/STATUS", of: verdictOf, ...wide };
  if (name === "issues") return { title: "ISSUES", of: issueCount, isNumber: true, ...wide };
  const { type } = field.schema;
  const isNumber = type === "integer" || type === "number";
  const title = (field.unit ?? fieldLabel(name, field)).toUpperCase();
  return { title, of: (record) => record[name], ...(isNumber ? { isNumber } : {}), ...wide };
}

function issueCount({ issues, truncated }: ActivityRecord): number | undefined {
  const count = (issues?.length ?? 0) + (truncated ?? 0);
  return count === 0 ? undefined : count;
}

/** Returns records as a table without cuts, however wide the terminal is. */
export function wideTable(records: readonly ActivityRecord[], colour: boolean): string {
  return wholeTable(records, WIDE, colour);
}

function wholeTable(
  records: readonly ActivityRecord[],
  columns: readonly WholeColumn[],
  colour: boolean,
): string {
  const rows = records.map((record) => columns.map(({ of }) => String(of(record) ?? "")));
  const verdict = columns.findIndex(({ of }) => of === verdictOf);
  return renderTable(columns, rows, { paint: painting(verdict, colour) });
}

/** Colors the titles and a column of verdicts. */
function painting(verdict: number, colour: boolean): Paint {
  const { bold } = picocolors.createColors(colour);
  return (text, row, column) => {
    if (row === "title") return bold(text);
    return column === verdict ? paintVerdict(text, colour) : text;
  };
}

/** Colors a verdict by its worst word. */
export function paintVerdict(text: string, colour: boolean): string {
  const colours = picocolors.createColors(colour);
  if (/blocked|rejected|error/.test(text)) {
    return colours.red(text);
  }
  if (/warning|repaired/.test(text)) {
    return colours.yellow(text);
  }
  return colours.green(text);
}

/** Returns the time of day in the user's zone; with the date if it is not today. */
function shortTime(time: string, now: Date): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return timeOfDay(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${timeOfDay(at)}`;
}

function shortCells(record: ActivityRecord, id: string, now: Date): readonly string[] {
  const { server, tool, type, status, decision, reason } = record;
  const who = [server, tool].filter((name) => name !== null).join("/");
  return [
    shortTime(record.time, now),
    type,
    tool === null ? `${who}${who === "" ? "" : " "}(${type})` : who,
    status ?? decision ?? "",
    reason ?? "",
    id,
  ];
}
