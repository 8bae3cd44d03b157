import {
  ACTIVITY_FILTERS,
  type ActivityFilter,
  type ActivityPage,
  type ActivityReader,
  DECISIONS,
  parseActivityFilter,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { terminalWidth, wantsColour } from "../terminal/capable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { toYaml } from "../terminal/yaml.ts";
import { type ListKind, listTable, wideTable } from "./list-table.ts";
import {
  type ActivityIo,
  FAIL_ON,
  type FailOn,
  LIST_FORMATS,
  type Options,
  outputFormat,
  reportingActivityErrors,
  textOption,
} from "./options.ts";
import { ALLOW_PARTIAL, withoutRecords, withReader } from "./reader.ts";
import { shortIds } from "./related-records.ts";

/**
 * `touchstone activity list`: prints a page of tool calls, newest first; with `--records` or `--type` of records.
 * Only with tables, stderr explains how to reach the next page, and how many records that are not calls match the
 * filters; the other formats print nothing else.
 *
 * @throws CliExit 1 if a record matches `--fail-on`, on any page, call or not; 2 for a wrong option; 3 if the records
 *   cannot be read, or `--fail-on` is given and there are none
 */
export async function runList(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, LIST_FORMATS);
  const failOn = parseFailOn(textOption(options, "failOn"));
  const filter = await reportingActivityErrors(() =>
    parseActivityFilter(filterInput(options), io.now()),
  );
  const isOfRecords = options["records"] === true || filter.types !== undefined;
  const isTable = format === "table" || format === "wide";
  const countsOthers = !isOfRecords && (isTable || failOn.length > 0);
  const shown: ActivityFilter = isOfRecords ? filter : { ...filter, types: ["tool_call"] };
  const found = await withReader(
    io,
    options,
    async (reader) => ({
      ...(await pageOf(
        reader,
        shown,
        format === "table" && terminalWidth(io.stdout) !== undefined,
      )),
      all: countsOthers ? await countOf(reader, filter) : undefined,
      met: failOn.length === 0 ? 0 : await countMeeting(reader, filter, failOn),
    }),
    ALLOW_PARTIAL,
  );
  if (found === undefined && failOn.length > 0) throw withoutRecords("checked");
  const {
    page,
    ids,
    all = page.total,
    met = 0,
  } = found ?? { page: emptyPage(filter), ids: new Map() };
  const listed = isOfRecords ? "records" : "calls";
  io.stdout.write(render(page, ids, { format, listed }, io));
  if (isTable) io.stderr.write(restOf(page, listed, all));
  if (met > 0) {
    const verb = met === 1 ? "is" : "are";
    throw new CliExit(
      EXIT_FINDINGS,
      `${met} of ${plural(all, "record")} ${verb} ${failOn.join(" or ")}`,
    );
  }
}

/** @param all how many records match the filters, calls or not */
function restOf(
  { activities, total, next_cursor: next }: ActivityPage,
  listed: ListKind,
  all: number,
): string {
  const what = listed === "calls" ? "call" : "record";
  const rest = all - total;
  return [
    ...(next === null
      ? []
      : [`${activities.length} of ${plural(total, what)}; the next: --cursor ${next}\n`]),
    ...(rest > 0
      ? [
          `not listed: ${plural(rest, "record")} that ${rest === 1 ? "is not a call" : "are not calls"}; --records lists all\n`,
        ]
      : []),
  ].join("");
}

async function countOf(
  reader: ActivityReader,
  { after: _, ...filter }: ActivityFilter,
): Promise<number> {
  return (await reader.list({ ...filter, limit: 1, offset: 0 })).total;
}

function filterInput(options: Options): Record<string, string | undefined> {
  return Object.fromEntries(
    [...ACTIVITY_FILTERS, "query"].map((name) => [name, textOption(options, name)]),
  );
}

/** Returns a page, with short ids for a terminal and complete ones for a pipe. */
async function pageOf(
  reader: ActivityReader,
  filter: ActivityFilter,
  isShort: boolean,
): Promise<{ readonly page: ActivityPage; readonly ids: ReadonlyMap<string, string> }> {
  const page = await reader.list(filter);
  return { page, ids: isShort ? await shortIds(reader, page.activities) : new Map() };
}

function emptyPage({ limit, offset }: ActivityFilter): ActivityPage {
  return { activities: [], total: 0, limit, offset, next_cursor: null };
}

function render(
  page: ActivityPage,
  ids: ReadonlyMap<string, string>,
  { format, listed }: { readonly format: (typeof LIST_FORMATS)[number]; readonly listed: ListKind },
  io: ActivityIo,
): string {
  switch (format) {
    case "json":
      return terminalJson(page, "lines");
    case "jsonl":
      return page.activities.map((record) => terminalJson(record, "line")).join("");
    case "yaml":
      return toYaml(page);
    case "wide":
      return wideTable(page.activities, wantsColour(io));
    case "table":
      return listTable(page.activities, {
        listed,
        width: terminalWidth(io.stdout),
        ids,
        now: io.now(),
        colour: wantsColour(io),
      });
  }
}

function parseFailOn(text: string | undefined): readonly FailOn[] {
  const words = text === undefined ? [] : text.split(",").map((word) => word.trim());
  return words.map((word) => {
    const known = FAIL_ON.find((one) => one === word);
    if (known !== undefined) return known;
    throw new CliExit(
      EXIT_USAGE,
      `--fail-on: "${safeText(word.slice(0, 64))}" is none of ${FAIL_ON.join(", ")}`,
    );
  });
}

/** Returns how many records of the filter match one of the words, on any page. */
async function countMeeting(
  reader: ActivityReader,
  filter: ActivityFilter,
  words: readonly FailOn[],
): Promise<number> {
  const meant: readonly string[] = words;
  const decisions = (filter.decisions ?? DECISIONS).filter((decision) => meant.includes(decision));
  const statuses = words.filter((word) => filter.statuses?.includes(word) ?? true);
  const count = async (more: Partial<ActivityFilter>): Promise<number> =>
    more.decisions?.length === 0 || more.statuses?.length === 0
      ? 0
      : countOf(reader, { ...filter, ...more });
  const decided = await count({ decisions });
  const ended = await count({ statuses });
  return decided + ended - (await count({ decisions, statuses }));
}
