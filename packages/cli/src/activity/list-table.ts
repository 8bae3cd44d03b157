import {
  type ActivityRecord,
  fieldLabel,
  RECORD_FIELDS,
} from "@touchstone/gateway/activity/record";
import picocolors from "picocolors";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";
import { timeAgo } from "../terminal/time-ago.ts";

/** What a list shows: tool calls, or all records that match. */
export type ListKind = "calls" | "records";

/** A column on a terminal. */
interface TerminalColumn extends Column {
  readonly of: (
    record: ActivityRecord,
    shown: { readonly id: string; readonly now: Date },
  ) => string;
  /** Only lists of records have this column. */
  readonly isOfRecords?: true;
}

/** The time, the id for `show`, the caller, the status, and the reason. */
const TERMINAL: readonly TerminalColumn[] = [
  { title: "WHEN", leftOut: 3, of: ({ time }, { now }) => timeAgo(new Date(time), now) },
  { title: "ID", of: (_, { id }) => id },
  { title: "TYPE", leftOut: 1, isOfRecords: true, of: ({ type }) => type },
  { title: "SERVER/TOOL", max: 44, least: 14, of: whoOf },
  { title: "STATUS", of: ({ status, decision }) => status ?? decision ?? "" },
  { title: "REASON", least: 24, leftOut: 2, of: ({ reason }) => reason ?? "" },
];

function whoOf({ server, tool, type }: ActivityRecord): string {
  const who = [server, tool].filter((name) => name !== null).join("/");
  return tool === null ? `${who}${who === "" ? "" : " "}(${type})` : who;
}

/** Returns the decision and the status, as one word if both are the same. */
export function decisionAndStatus(record: ActivityRecord): string {
  const words = [record.decision, record.status].filter((word) => word !== null);
  return [...new Set(words)].join("/");
}

/**
 * Returns records as a table, one line each.
 *
 * @param options.width of the terminal; cells are cut and columns left out so that a line fits. Undefined for a pipe:
 *   nothing is cut
 * @param options.now the time that relative times refer to, which only a terminal shows
 * @param options.ids how to show ids on a terminal; default: complete
 */
export function listTable(
  records: readonly ActivityRecord[],
  options: {
    readonly listed: ListKind;
    readonly width: number | undefined;
    readonly ids: ReadonlyMap<string, string>;
    readonly now: Date;
    readonly colour: boolean;
  },
): string {
  const { listed, width, ids, now, colour } = options;
  const isShown = ({ isOfRecords }: { readonly isOfRecords?: true }): boolean =>
    listed === "records" || isOfRecords !== true;
  if (width === undefined) {
    const columns = WIDE.filter((column) => column.isWide !== true && isShown(column));
    return wholeTable(records, columns, colour);
  }
  const columns = TERMINAL.filter(isShown);
  const rows = records.map((record) =>
    columns.map(({ of }) => of(record, { id: ids.get(record.id) ?? record.id, now })),
  );
  const verdict = columns.findIndex(({ title }) => title === "STATUS");
  return renderTable(columns, rows, { width, paint: painting(verdict, colour) });
}

interface WholeColumn extends Column {
  readonly of: (record: ActivityRecord) => unknown;
  /** Only wide tables have this column; the others are for pipes. */
  readonly isWide?: true;
  /** In a pipe, only lists of records have this column. */
  readonly isOfRecords?: true;
}

/** The most important columns come first, and those that may be long come last. */
const FIRST: readonly string[] = ["time", "id"];
const LAST: readonly string[] = ["issues", "reason"];

/** A record's columns in a wide table: all fields that fit on a line, uncut. */
const WIDE: readonly WholeColumn[] = RECORD_FIELDS.flatMap(([name, field]) =>
  field.list === undefined || name === "status" ? [] : [{ name, column: columnOf(name, field) }],
)
  .toSorted((a, b) => rankOf(a.name) - rankOf(b.name))
  .map(({ column }) => column);

type RecordField = (typeof RECORD_FIELDS)[number];

function rankOf(name: string): number {
  const first = FIRST.indexOf(name);
  return first >= 0 ? first - FIRST.length : LAST.indexOf(name) + 1;
}

function columnOf(name: RecordField[0], field: RecordField[1]): WholeColumn {
  const wide = field.list === "wide" ? ({ isWide: true } as const) : {};
  if (name === "decision") return { title: "DECISION/STATUS", of: decisionAndStatus, ...wide };
  if (name === "issues") return { title: "ISSUES", of: issueCount, isNumber: true, ...wide };
  if (name === "type") return { title: "TYPE", of: ({ type }) => type, isOfRecords: true, ...wide };
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
  const verdict = columns.findIndex(({ of }) => of === decisionAndStatus);
  return renderTable(columns, rows, { paint: painting(verdict, colour) });
}

/** Returns a function that colors the titles and the column with the decision. */
function painting(verdict: number, colour: boolean): Paint {
  const { bold } = picocolors.createColors(colour);
  return (text, row, column) => {
    if (row === "title") return bold(text);
    return column === verdict ? paintDecision(text, colour) : text;
  };
}

/** Colors a decision by its worst word. */
export function paintDecision(text: string, colour: boolean): string {
  const colours = picocolors.createColors(colour);
  if (/blocked|rejected|error/.test(text)) {
    return colours.red(text);
  }
  if (/warning|repaired/.test(text)) {
    return colours.yellow(text);
  }
  return colours.green(text);
}
