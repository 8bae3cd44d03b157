import type { ActivityScope, RepairReport } from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { terminalWidth } from "../terminal/capable.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { type ActivityIo, type Options, outputFormat, SUMMARY_FORMATS } from "./options.ts";
import { ALLOW_PARTIAL, withReader } from "./reader.ts";
import { writeResponse } from "./response-format.ts";
import { readScope } from "./scope.ts";

/**
 * `touchstone activity repairs`: shows which arguments were repaired, how, and how often, and what the server's
 * author or the prompt can change.
 *
 * @throws CliExit 2 for a wrong option, 3 if the records cannot be read
 */
export async function runRepairs(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, SUMMARY_FORMATS);
  const isForPeople = format === "table" || format === "wide";
  const scope = await readScope(io, options);
  const found = await withReader(io, options, (reader) => reader.repairs(scope), ALLOW_PARTIAL);
  if (found === undefined && isForPeople) return;
  const report = found ?? emptyReport(scope);
  const width = format === "wide" ? undefined : terminalWidth(io.stdout);
  writeResponse(io, format, report, () => reportText(report, width));
}

/** Returns the response for programs if there are no records: an empty one of the same form. */
function emptyReport({ since, until }: ActivityScope): RepairReport {
  return {
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    calls: 0,
    repaired: 0,
    repairs: [],
    repairs_left_out: 0,
    hints: {},
  };
}

function reportText(report: RepairReport, width: number | undefined): string {
  const { calls, repaired, repairs, repairs_left_out, hints } = report;
  const count = (number: number): string => number.toLocaleString("en");
  const of = `${count(calls)} ${calls === 1 ? "call" : "calls"}`;
  const head = `repaired ${count(repaired)} of ${of}\n`;
  if (repairs.length === 0) return head;
  const columns: readonly Column[] =
    width === undefined ? COLUMNS.map(({ max: _, ...column }) => column) : COLUMNS;
  const rows = repairs.map(({ server, tool, kind, path, calls: times }) => [
    ...[server ?? "-", tool ?? "-", kind, path === "" ? "the root" : path],
    String(times),
  ]);
  const more =
    repairs_left_out === 0
      ? ""
      : `and ${plural(repairs_left_out, "more combination")} of tool and repairs; --server and --tool narrow it down\n`;
  const told = Object.entries(hints).map(([kind, hint]) => `${kind}: ${hint}\n`);
  return `${head}\n${renderTable(columns, rows, { width })}${more}\n${told.join("")}`;
}

/** Names are cut if a line is too long. */
const COLUMNS: readonly Column[] = [
  { title: "SERVER", max: 24, least: 8 },
  { title: "TOOL", max: 40, least: 12 },
  { title: "REPAIR" },
  { title: "AT", max: 60, least: 12 },
  { title: "CALLS", isNumber: true },
];
