import type {
  ActivityScope,
  ActivitySummary,
  RuleCount,
  ToolSummary,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { terminalWidth } from "../terminal/capable.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { type ActivityIo, type Options, outputFormat, SUMMARY_FORMATS } from "./options.ts";
import { ALLOW_PARTIAL, withReader } from "./reader.ts";
import { writeResponse } from "./response-format.ts";
import { readScope } from "./scope.ts";

/**
 * `touchstone activity summary`: counts the records of a time range, by default the last 24 hours.
 *
 * @throws CliExit 2 for a wrong option, 3 if the records cannot be read
 */
export async function runSummary(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, SUMMARY_FORMATS);
  const isForPeople = format === "table" || format === "wide";
  const scope = await readScope(io, options, "24h");
  const found = await withReader(io, options, (reader) => reader.summary(scope), ALLOW_PARTIAL);
  if (found === undefined && isForPeople) return;
  const summary = found ?? emptySummary(scope);
  const look =
    format === "wide"
      ? { width: undefined, names: NAMES.map(({ title }) => ({ title })) }
      : { width: terminalWidth(io.stdout), names: NAMES };
  writeResponse(io, format, summary, () => summaryText(summary, look));
}

/** Returns the response for programs if there are no records: an empty one of the same form. */
function emptySummary({ since, until }: ActivityScope): ActivitySummary {
  return {
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    records: 0,
    types: {},
    calls: { total: 0 },
    decisions: {},
    servers: [],
    servers_left_out: 0,
    tools: [],
    tools_left_out: 0,
    rules: [],
    rules_left_out: 0,
  };
}

/** Most tools in a table for people. */
const MAX_TOOLS = 100;

/** How the tables look; wide ones are not cut. */
interface Look {
  readonly width: number | undefined;
  /** The columns for names, which come first. */
  readonly names: readonly Column[];
}

function summaryText(summary: ActivitySummary, look: Look): string {
  const { since, until, records, calls, decisions } = summary;
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .filter(([name]) => name !== "total")
      .map(([name, count]) => `${count} ${name}`)
      .join(", ") || "none";
  const lines = [
    `${since ?? "the beginning"} to ${until ?? "now"}: ${plural(records, "record")}`,
    `calls      ${calls["total"] ?? 0} (${counts(calls)})`,
    `decisions  ${counts(decisions)}`,
  ];
  const { tools, rules, rules_left_out } = summary;
  const shown = tools.slice(0, MAX_TOOLS);
  const more = summary.tools_left_out + tools.length - shown.length;
  const tables = [toolTable(shown, look), ruleTable(rules, look)];
  if (more > 0) tables.push(`${plural(more, "more tool")}\n`);
  if (rules_left_out > 0) tables.push(`${plural(rules_left_out, "more line")} of rules\n`);
  return `${lines.join("\n")}\n${tables.map((table) => (table === "" ? "" : `\n${table}`)).join("")}`;
}

/** The names, which are cut if a line is too long. */
const NAMES: readonly Column[] = [
  { title: "SERVER", max: 24, least: 8 },
  { title: "TOOL", max: 40, least: 12 },
];

function names({ server, tool }: ToolSummary | RuleCount): readonly string[] {
  return [server ?? "-", tool ?? "-"];
}

/**
 * Statuses of calls that were refused for another reason than a failed check or an error of the server. Columns
 * without calls are left out.
 */
const REFUSED: readonly (readonly [title: string, count: (tool: ToolSummary) => number])[] = [
  ["DENIED", ({ denied }) => denied],
  ["HELD", ({ held }) => held],
  ["OUT OF BOUNDS", ({ out_of_bounds }) => out_of_bounds],
  ["LIMITED", ({ limited, rejected }) => limited + rejected],
];

function toolTable(tools: readonly ToolSummary[], { width, names: first }: Look): string {
  if (tools.length === 0) return "";
  const isRepaired = tools.some(({ repaired }) => repaired > 0);
  const refused = REFUSED.filter(([, count]) => tools.some((tool) => count(tool) > 0));
  const columns: readonly Column[] = [
    ...first,
    { title: "CALLS", isNumber: true },
    { title: "SUCCESS", isNumber: true, leftOut: 1 },
    { title: "WARNING", isNumber: true },
    { title: "BLOCKED", isNumber: true },
    ...(isRepaired ? [{ title: "REPAIRED", isNumber: true }] : []),
    { title: "ERROR", isNumber: true, leftOut: 4 },
    ...refused.map(([title]) => ({ title, isNumber: true, leftOut: 3 })),
    { title: "MEAN MS", isNumber: true, leftOut: 2 },
  ];
  const rows = tools.map((of) => [
    ...names(of),
    ...[of.calls, of.success, of.warning, of.blocked].map(String),
    ...(isRepaired ? [String(of.repaired)] : []),
    String(of.error),
    ...refused.map(([, count]) => String(count(of))),
    String(of.mean_ms),
  ]);
  return renderTable(columns, rows, { width });
}

function ruleTable(rules: readonly RuleCount[], { width, names: first }: Look): string {
  if (rules.length === 0) return "";
  const rows = rules.map((of) => [...names(of), of.direction ?? "-", of.rule, String(of.records)]);
  const more: readonly Column[] = [
    { title: "DIRECTION" },
    { title: "RULE" },
    { title: "DECISIONS", isNumber: true },
  ];
  return renderTable([...first, ...more], rows, { width });
}
