import {
  ACTIVITY_FILTERS,
  type ActivityFilter,
  type ActivityPage,
  type ActivityRecord,
  parseActivityFilter,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson, toYaml } from "../terminal/serialise.ts";
import { listTable } from "./list-table.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  textOption,
  wantsColour,
} from "./options.ts";
import { PARTIAL, withReader } from "./reader.ts";

const FORMATS = ["table", "json", "jsonl", "yaml"] as const;
const FAIL_ON = ["blocked", "warning", "error"] as const;

/**
 * `touchstone activity list`: prints a page of records, newest first. Only the table form says on
 * stderr how to reach the next page; the other forms hold nothing but the answer.
 *
 * @throws CliExit 1 where a listed record meets `--fail-on`, 2 for a wrong option, 3 where the
 *   records cannot be read
 */
export async function runList(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, FORMATS);
  const failOn = parseFailOn(textOption(options, "failOn"));
  const filter = await reportingActivityErrors(() =>
    parseActivityFilter(filterInput(options), io.now()),
  );
  const page =
    (await withReader(io, options, (reader) => reader.list(filter), PARTIAL)) ?? emptyPage(filter);
  io.stdout.write(render(page, format, io));
  if (format === "table" && page.next_cursor !== null) {
    io.stderr.write(
      `${page.activities.length} of ${counted(page.total, "record")}; the next: --cursor ${page.next_cursor}\n`,
    );
  }
  const met = page.activities.filter((record) => failOn.some((word) => meets(record, word)));
  if (met.length > 0) {
    throw new CliExit(
      EXIT_FINDINGS,
      `${met.length} of ${page.activities.length} listed records are ${failOn.join(" or ")}`,
    );
  }
}

function filterInput(options: Options): Record<string, string | undefined> {
  return Object.fromEntries(ACTIVITY_FILTERS.map((name) => [name, textOption(options, name)]));
}

function emptyPage({ limit, offset }: ActivityFilter): ActivityPage {
  return { activities: [], total: 0, limit, offset, next_cursor: null };
}

function render(page: ActivityPage, format: (typeof FORMATS)[number], io: ActivityIo): string {
  switch (format) {
    case "json":
      return toJson(page, "lines");
    case "jsonl":
      return page.activities.map((record) => toJson(record, "line")).join("");
    case "yaml":
      return toYaml(page);
    case "table": {
      // Some terminals report 0 columns when they do not know.
      const width = (io.stdout.isTTY === true && io.stdout.columns) || undefined;
      return listTable(page.activities, { width, colour: wantsColour(io) });
    }
  }
}

function parseFailOn(text: string | undefined): readonly string[] {
  const words = text === undefined ? [] : text.split(",").map((word) => word.trim());
  for (const word of words) {
    if (!(FAIL_ON as readonly string[]).includes(word)) {
      throw new CliExit(
        EXIT_USAGE,
        `--fail-on: "${safeText(word.slice(0, 64))}" is none of ${FAIL_ON.join(", ")}`,
      );
    }
  }
  return words;
}

function meets(record: ActivityRecord, word: string): boolean {
  return record.decision === word || record.status === word;
}
