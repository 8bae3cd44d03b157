import {
  ACTIVITY_FILTERS,
  type ActivityFilter,
  type ActivityPage,
  type ActivityReader,
  DECISIONS,
  parseActivityFilter,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import { terminalWidth, wantsColour } from "../terminal/capable.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson } from "../terminal/serialise.ts";
import { toYaml } from "../terminal/yaml.ts";
import { listTable, wideTable } from "./list-table.ts";
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
import { PARTIAL, withoutRecords, withReader } from "./reader.ts";
import { shortIds } from "./related.ts";

/**
 * `touchstone activity list`: prints a page of records, newest first. Only the table form says on stderr how to reach
 * the next page; the other forms contain nothing but the response.
 *
 * @throws CliExit 1 if a record matches `--fail-on`, on any page; 2 for a wrong option; 3 if the records cannot be
 *   read, or `--fail-on` is given and there are none
 */
export async function runList(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, LIST_FORMATS);
  const failOn = parseFailOn(textOption(options, "failOn"));
  const filter = await reportingActivityErrors(() =>
    parseActivityFilter(filterInput(options), io.now()),
  );
  const found = await withReader(
    io,
    options,
    async (reader) => ({
      ...(await pageOf(
        reader,
        filter,
        format === "table" && terminalWidth(io.stdout) !== undefined,
      )),
      met: failOn.length === 0 ? 0 : await countMeeting(reader, filter, failOn),
    }),
    PARTIAL,
  );
  if (found === undefined && failOn.length > 0) throw withoutRecords("checked");
  const { page, ids, met } = found ?? { page: emptyPage(filter), ids: new Map(), met: 0 };
  io.stdout.write(render(page, ids, format, io));
  if ((format === "table" || format === "wide") && page.next_cursor !== null) {
    io.stderr.write(
      `${page.activities.length} of ${counted(page.total, "record")}; the next: --cursor ${page.next_cursor}\n`,
    );
  }
  if (met > 0) {
    const verb = met === 1 ? "is" : "are";
    throw new CliExit(
      EXIT_FINDINGS,
      `${met} of ${counted(page.total, "record")} ${verb} ${failOn.join(" or ")}`,
    );
  }
}

function filterInput(options: Options): Record<string, string | undefined> {
  return Object.fromEntries(ACTIVITY_FILTERS.map((name) => [name, textOption(options, name)]));
}

/** Returns a page, with short ids for a terminal and whole ones for a pipe. */
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
  format: (typeof LIST_FORMATS)[number],
  io: ActivityIo,
): string {
  switch (format) {
    case "json":
      return toJson(page, "lines");
    case "jsonl":
      return page.activities.map((record) => toJson(record, "line")).join("");
    case "yaml":
      return toYaml(page);
    case "wide":
      return wideTable(page.activities, wantsColour(io));
    case "table":
      return listTable(page.activities, {
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
  const { after: _, ...whole } = filter;
  const meant: readonly string[] = words;
  const decisions = (filter.decisions ?? DECISIONS).filter((decision) => meant.includes(decision));
  const statuses = words.filter((word) => filter.statuses?.includes(word) ?? true);
  const count = async (more: Partial<ActivityFilter>): Promise<number> => {
    if (more.decisions?.length === 0 || more.statuses?.length === 0) return 0;
    return (await reader.list({ ...whole, ...more, limit: 1, offset: 0 })).total;
  };
  const decided = await count({ decisions });
  const ended = await count({ statuses });
  return decided + ended - (await count({ decisions, statuses }));
}
