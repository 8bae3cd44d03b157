import type { ActivityRecord } from "@touchstone/gateway";
import picocolors from "picocolors";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";

/** What a terminal shows: when, who it was, how it ended, why, and by which id `show` finds it. */
const TERMINAL_COLUMNS: readonly Column[] = [
  { title: "TIME", leftOut: 3 },
  { title: "TYPE", leftOut: 1 },
  { title: "SERVER/TOOL", max: 44, least: 14 },
  { title: "STATUS" },
  { title: "REASON", least: 24, leftOut: 2 },
  { title: "ID" },
];
const STATUS_COLUMN = 3;

/** What goes into a pipe: nothing is cut. */
const COLUMNS: readonly Column[] = [
  { title: "TIME" },
  { title: "TYPE" },
  { title: "SERVER" },
  { title: "TOOL" },
  { title: "DIRECTION" },
  { title: "MODE" },
  { title: "DECISION/STATUS" },
  { title: "REASON" },
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
 * @param options.width of the terminal; cells are cut and columns left out so that a line fits. Undefined for a pipe
 * @param options.now tells which times are of today
 * @param options.ids what ids are shown as; whole by default
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
  const { width, ids, now } = options;
  const colours = picocolors.createColors(options.colour);
  const paint: Paint = (text, row, column) => {
    if (row === "title") {
      return colours.bold(text);
    }
    const verdict = width === undefined ? VERDICT_COLUMN : STATUS_COLUMN;
    return column === verdict ? paintVerdict(text, options.colour) : text;
  };
  if (width !== undefined) {
    const short = records.map((record) => shortCells(record, ids.get(record.id) ?? record.id, now));
    return renderTable(TERMINAL_COLUMNS, short, { width, paint });
  }
  const rows = records.map((record) => cells(record, ids.get(record.id) ?? record.id));
  return renderTable(COLUMNS, rows, { paint });
}

/** What a wide table shows of a record: all that fits on a line, and nothing cut. */
const WIDE: readonly (Column & { readonly of: (record: ActivityRecord) => unknown })[] = [
  { title: "TIME", of: ({ time }) => time },
  { title: "TYPE", of: ({ type }) => type },
  { title: "SOURCE", of: ({ source }) => source },
  { title: "SERVER", of: ({ server }) => server },
  { title: "TOOL", of: ({ tool }) => tool },
  { title: "DIRECTION", of: ({ direction }) => direction },
  { title: "MODE", of: ({ mode }) => mode },
  { title: "DECISION/STATUS", of: verdictOf },
  { title: "OUTCOME", of: ({ outcome }) => outcome },
  { title: "CLIENT", of: ({ client }) => client },
  { title: "REQUEST", of: ({ request_id }) => request_id },
  { title: "BYTES IN", of: ({ bytes_in }) => bytes_in, isNumber: true },
  { title: "BYTES OUT", of: ({ bytes_out }) => bytes_out, isNumber: true },
  { title: "MS", of: ({ duration_ms }) => duration_ms, isNumber: true },
  { title: "ISSUES", of: issueCount, isNumber: true },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "ID", of: ({ id }) => id },
];

function issueCount({ issues, truncated }: ActivityRecord): number | undefined {
  const count = (issues?.length ?? 0) + (truncated ?? 0);
  return count === 0 ? undefined : count;
}

/** Records as a table that nothing is cut or left out of, however wide the terminal is. */
export function wideTable(records: readonly ActivityRecord[], colour: boolean): string {
  const colours = picocolors.createColors(colour);
  const paint: Paint = (text, row, column) => {
    if (row === "title") return colours.bold(text);
    return WIDE[column]?.of === verdictOf ? paintVerdict(text, colour) : text;
  };
  const rows = records.map((record) => WIDE.map(({ of }) => String(of(record) ?? "")));
  return renderTable(WIDE, rows, { paint });
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

/** A time of the day where the user is; with the date if that was another day. */
export function shortTime(time: string, now: Date): string {
  const at = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === now.toDateString()) return clock;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
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

function cells(record: ActivityRecord, id: string): readonly string[] {
  return [
    record.time,
    record.type,
    record.server ?? "",
    record.tool ?? "",
    record.direction ?? "",
    record.mode ?? "",
    verdictOf(record),
    record.reason ?? "",
    id,
  ];
}
