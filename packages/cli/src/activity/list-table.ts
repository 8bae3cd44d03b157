import type { ActivityRecord } from "@touchstone/gateway";
import picocolors from "picocolors";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";

/** A terminal of 80 columns has room for who it was, how it ended and why; an id tells the time as well. */
const COLUMNS: readonly Column[] = [
  { title: "TIME", leftOut: 4 },
  { title: "TYPE", least: 8, leftOut: 3 },
  { title: "SERVER", max: 24, least: 6, leftOut: 6 },
  { title: "TOOL", max: 32, least: 8, instead: 1 },
  { title: "DIRECTION", leftOut: 2 },
  { title: "MODE", leftOut: 1 },
  { title: "DECISION/STATUS" },
  { title: "REASON", least: 12, leftOut: 5 },
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
 * @param options.width of the terminal; cells are cut and columns left out so that a line fits
 * @param options.ids what ids are shown as; whole by default
 */
export function listTable(
  records: readonly ActivityRecord[],
  options: {
    readonly width: number | undefined;
    readonly ids: ReadonlyMap<string, string>;
    readonly colour: boolean;
  },
): string {
  const colours = picocolors.createColors(options.colour);
  const paint: Paint = (text, row, column) => {
    if (row === "title") {
      return colours.bold(text);
    }
    return column === VERDICT_COLUMN ? paintVerdict(text, options.colour) : text;
  };
  const rows = records.map((record) => cells(record, options.ids.get(record.id) ?? record.id));
  return renderTable(COLUMNS, rows, { width: options.width, paint });
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
