import {
  type ActivityReader,
  openPlace,
  type Problem,
  type ProblemFilter,
  type ProblemPage,
  parseProblemFilter,
  type RolloutSettings,
  rolloutSettings,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { terminalWidth } from "../terminal/capable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  SUMMARY_FORMATS,
  textOption,
} from "./options.ts";
import { ALLOW_PARTIAL, recordsConfig, recordsPlace, withReader } from "./reader.ts";
import { writeResponse } from "./response-format.ts";

const FILTERS = ["server", "tool", "state", "since", "until", "period", "limit", "offset"];

/**
 * `touchstone activity problems`: groups calls that were blocked, or forwarded with a warning, by server, tool, place
 * and rule. States depend on the settings in the file of `--config`, or else in the user's file.
 *
 * @throws CliExit 2 for a wrong option, 3 if the records cannot be read
 */
export async function runProblems(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, SUMMARY_FORMATS);
  const now = io.now();
  const filter = await reportingActivityErrors(() =>
    parseProblemFilter(
      Object.fromEntries(FILTERS.map((name) => [name, textOption(options, name)])),
      now,
    ),
  );
  const settings = await settingsIn(io, options);
  const read = (reader: ActivityReader): Promise<ProblemPage> =>
    reader.problems(filter, { settings, now });
  let page = await withReader(io, options, read, ALLOW_PARTIAL);
  if (page !== undefined && page.not_counted > 0) {
    await countRest(io, options);
    page = await withReader(io, options, read, ALLOW_PARTIAL);
  }
  if (page === undefined && (format === "table" || format === "wide")) return;
  const answer = page ?? emptyPage(filter, now);
  const width = format === "wide" ? undefined : terminalWidth(io.stdout);
  writeResponse(io, format, answer, () =>
    pageText(answer, { width, now, isJudged: settings !== undefined }),
  );
}

/** Counts records that no gateway has counted yet. A user who may only read sees how many are not counted. */
async function countRest(io: ActivityIo, options: Options): Promise<void> {
  try {
    const pruner = await openPlace(await recordsPlace(io, options)).pruner();
    try {
      await pruner.rollUp();
    } finally {
      await pruner.close();
    }
  } catch {
    // As above.
  }
}

async function settingsIn(io: ActivityIo, options: Options): Promise<RolloutSettings | undefined> {
  const file = recordsConfig(io, options);
  if (file === undefined) return undefined;
  const { loadConfig } = await import("@touchstone/gateway/config");
  const isNamed = options["config"] !== undefined;
  return rolloutSettings(loadConfig(file, { env: io.env }), isNamed ? "considered" : "assumed");
}

/** Returns the response for programs if there are no records: an empty one of the same form. */
function emptyPage({ limit, offset }: ProblemFilter, now: Date): ProblemPage {
  return {
    ...{ problems: [], total: 0, limit, offset },
    ...{ since: now.toISOString(), until: now.toISOString(), bucket_ms: 3_600_000 },
    states: { open: 0, not_seen: 0, ignored: 0, allowed: 0 },
    ...{ others: 0, not_counted: 0 },
  };
}

/** Names are cut if a line is too long. */
const COLUMNS: readonly Column[] = [
  { title: "STATE", max: 40, least: 6 },
  { title: "CALLS", isNumber: true },
  { title: "BLOCKED", isNumber: true },
  { title: "CALLERS", isNumber: true },
  { title: "LAST" },
  { title: "SERVER", max: 24, least: 8 },
  { title: "TOOL", max: 40, least: 10 },
  { title: "IN" },
  { title: "PROBLEM", max: 80, least: 20 },
];

/** The parts of a call, by the direction of its check. */
const PARTS: Readonly<Record<Problem["direction"], string>> = {
  input: "arguments",
  output: "result",
  protocol: "message",
};

function pageText(
  page: ProblemPage,
  { width, now, isJudged }: { width: number | undefined; now: Date; isJudged: boolean },
): string {
  const { problems, total, states, others, not_counted, offset } = page;
  const found = states.open + states.not_seen + states.ignored + states.allowed;
  const head = `${plural(found, "problem")}: ${states.open} open, ${states.not_seen} not seen in later calls, ${states.ignored} ignored, ${states.allowed} allowed\n`;
  const columns: readonly Column[] =
    width === undefined ? COLUMNS.map(({ max: _, ...column }) => column) : COLUMNS;
  const rows = problems.map((problem) => [
    stateText(problem),
    String(problem.calls),
    String(problem.blocked),
    `${problem.callers.count}${problem.callers.more ? "+" : ""}`,
    timeAgo(new Date(problem.last), now),
    ...[problem.server ?? "-", problem.tool, PARTS[problem.direction], problem.text],
  ]);
  const table = rows.length === 0 ? "" : `\n${renderTable(columns, rows, { width })}`;
  const left = total - offset - problems.length;
  const notes = [
    ...(left > 0
      ? [
          `and ${plural(left, "more problem")}: --offset ${offset + problems.length} shows the next ones`,
        ]
      : []),
    ...(others > 0
      ? [
          `and ${plural(others, "call")} with other issues, which are not grouped: there was no room for more groups, or the records do not name these issues`,
        ]
      : []),
    ...(not_counted > 0 ? [`${plural(not_counted, "record")} not counted yet`] : []),
    ...(isJudged
      ? []
      : ["no configuration was read, so no problem is allowed: --config FILE reads one"]),
  ];
  return `${head}${table}${notes.map((note) => `${safeText(note)}\n`).join("")}`;
}

function stateText({ state, ignored, passed_since }: Problem): string {
  if (state === "ignored") return `ignored until ${ignored?.until.slice(0, 16) ?? "-"}`;
  if (state === "not_seen") return `not seen in ${passed_since} later calls`;
  return state;
}
