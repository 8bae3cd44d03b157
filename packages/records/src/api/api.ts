import { parseCallerFilter, parseSessionFilter } from "../caller-filter.ts";
import { parseCallFilter, parseCallScope, parseSearch } from "../calls.ts";
import { checkedSchemas } from "../checked-schemas.ts";
import { isRecordId } from "../cursor.ts";
import { changeSince, definitionChange } from "../definition-change.ts";
import type { StoredDrift } from "../drift/store.ts";
import { exportActivity, exportFormat } from "../export/export.ts";
import { EXPORT_TYPES } from "../export/formats.ts";
import {
  type ActivityScope,
  badFilter,
  type FilterInput,
  integerParser,
  parseActivityFilter,
  parseActivityScope,
  readFilter,
} from "../filter.ts";
import { DEFAULT_BUCKETS, MAX_BUCKETS } from "../filter-names.ts";
import { overviewBuckets } from "../overview.ts";
import { parseProblemFilter } from "../problems/filter.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { ActivityReader } from "../store.ts";
import { suggestRules } from "../suggest.ts";
import { type EventOptions, eventStream } from "./events.ts";
import { pageText } from "./page.ts";
import { errorResponse, jsonResponse, jsonText } from "./responses.ts";

/** The numbers that each comparison of a tool's kept results with their schema has. */
interface DriftSummary {
  readonly server: string;
  readonly tool: string;
  readonly schema_hash: string;
  readonly since: string;
  readonly until: string;
  /** Results that were compared. */
  readonly results: number;
  readonly findings: readonly unknown[];
}

/** Compares kept results with their schemas; passed in, because this package does not handle schemas. */
export interface DriftReports {
  /** Never throws. */
  readonly reportOf: (kept: StoredDrift) => DriftSummary;
  /** A sentence that names the known tools if no results of the requested one are kept. */
  readonly known: string;
}

export interface ActivityApiOptions {
  /** The clock; the system's by default. */
  readonly now?: () => Date;
  readonly events?: EventOptions;
  /** What `drift` and `drifts` return. */
  readonly drift: DriftReports;
  /** The settings in force, which a rollout report uses. Default: no configuration. */
  readonly settings?: RolloutSettings | undefined;
}

/** The operations on records. */
export type ActivityOperation =
  | "list"
  | "get"
  | "diff"
  | "schema"
  | "summary"
  | "rollout"
  | "repairs"
  | "drift"
  | "export"
  | "events"
  | "calls"
  | "call"
  | "histogram"
  | "values"
  | "sessions"
  | "callers"
  | "overview"
  | "problems"
  | "problem"
  | "drifts";

/** A question about records, as it is sent to the thread that reads them. */
export interface ActivityQuestion {
  readonly operation: ActivityOperation;
  /**
   * By name: filters as {@link parseActivityFilter} reads them; `id`; `suggest`, `format`; `server` and `tool` of
   * drift.
   */
  readonly input: FilterInput;
  /** The last event that a client has seen. */
  readonly lastEventId?: string | undefined;
}

/**
 * Answers questions about records. It never throws, and does not check who is asking.
 *
 * - `list`: a page, with the filters of `touchstone activity list`; `get`: one record; `diff`: the change that it is about;
 *   `schema`: the schemas by which its call was checked
 * - `summary`, `rollout` (`suggest=true` adds rules, `tools=false` leaves tools out), `repairs`: counts; filters and `period`
 * - `drift`: a comparison of a tool's results with its output schema
 * - `export` (`format`: `jsonl`, `csv`, `ecs`, `ocsf`): all records that meet the filters, `rule` and `q` among them
 * - `calls`: a page of calls with the decisions about them; `call`: one with everything that belongs to it;
 *   `histogram`, `values`, `sessions`, `callers`: calls by time, the values to filter by, calls by agent and time,
 *   and by caller
 * - `problems`: a page of the issues that calls had, grouped by kind; `problem`: one of them
 * - `events`: server-sent events, until the signal is aborted or the body is canceled
 *
 * Faults are `{error, code}`: 400 `BAD_FILTER`, 404 `NOT_FOUND`, 503 with the store's code.
 */
export function activityApi(
  reader: ActivityReader,
  { now = () => new Date(), settings, events, drift }: ActivityApiOptions,
): (question: ActivityQuestion, signal?: AbortSignal) => Promise<Response> {
  return async ({ operation, input, lastEventId }, signal) => {
    try {
      switch (operation) {
        case "list":
          return await list(reader, input, now());
        case "get":
          return await oneRecord(reader, input["id"] ?? "");
        case "diff":
          return await change(reader, input);
        case "schema":
          return await schemas(reader, input["id"] ?? "", now());
        case "summary":
          return jsonResponse(200, await reader.summary(parseActivityScope(input, now())));
        case "rollout": {
          const { suggest, tools, ...scope } = input;
          const rollout = await reader.rollout(parseActivityScope(scope, now()), settings);
          const suggestion = suggest === "true" ? { suggestion: suggestRules(rollout) } : {};
          const none = { tools: [], tools_left_out: rollout.tools.length + rollout.tools_left_out };
          return jsonResponse(200, {
            ...rollout,
            ...suggestion,
            ...(tools === "false" && none),
          });
        }
        case "repairs":
          return jsonResponse(200, await reader.repairs(parseActivityScope(input, now())));
        case "drift":
          return await driftOf(reader, input, drift);
        case "export":
          return exported(reader, input, now());
        case "events":
          return eventStream(reader, parseActivityScope(input, now()), {
            lastEventId,
            signal,
            ...events,
          });
        case "calls":
          return jsonResponse(200, await reader.calls(parseCallFilter(input, now())));
        case "call":
          return await oneCall(reader, input, now());
        case "histogram": {
          const { buckets, ...scope } = input;
          const most = readFilter({ buckets }, "buckets", integerParser(1, MAX_BUCKETS));
          const options = { buckets: most ?? DEFAULT_BUCKETS, now: now() };
          const histogram = await reader.histogram(parseCallScope(scope, now()), options);
          return jsonResponse(200, histogram);
        }
        case "values":
          return jsonResponse(200, await reader.values());
        case "overview": {
          const { since, until } = overviewTime(input, now());
          const buckets = overviewBuckets(until.getTime() - since.getTime());
          const options = { since, until, buckets, excuses: settings?.excuses ?? [] };
          return jsonResponse(200, await reader.overview(options));
        }
        case "problems": {
          const options = { settings, now: now() };
          const filter = parseProblemFilter(input, options.now);
          return jsonResponse(200, await reader.problems(filter, options));
        }
        case "problem": {
          const { id = "", ...scope } = input;
          const options = { settings, now: now() };
          const found = await reader.problem(id, parseProblemFilter(scope, options.now), options);
          if (found !== undefined) return jsonResponse(200, found);
          return notFound(`There is no problem ${JSON.stringify(id.slice(0, 64))}.`);
        }
        case "drifts": {
          const found = (await reader.drifts(MOST_DRIFTS)).map(drift.reportOf);
          return jsonResponse(200, { tools: found.map(driftOfTool) });
        }
        case "sessions":
          return jsonResponse(200, await reader.sessions(parseSessionFilter(input, now())));
        case "callers":
          return jsonResponse(200, await reader.callers(parseCallerFilter(input, now())));
      }
    } catch (error) {
      return errorResponse(error);
    }
  };
}

async function list(reader: ActivityReader, input: FilterInput, now: Date): Promise<Response> {
  const page = await pageText(reader, parseActivityFilter(input, now));
  return jsonText(200, typeof page === "string" ? page : streamOf(page));
}

async function oneRecord(reader: ActivityReader, given: string): Promise<Response> {
  const id = given.toUpperCase();
  if (!isRecordId(id)) {
    const shown = JSON.stringify(given.slice(0, 64));
    return notFound(`${shown} is not a record's id (26 letters and digits), and none of ${PATHS}.`);
  }
  const record = await reader.get(id);
  return record === undefined ? notFound(`There is no record ${id}.`) : jsonResponse(200, record);
}

/** Returns the difference in the definition that a record is about, also since an earlier record. */
async function change(
  reader: ActivityReader,
  { id: given = "", before, after }: FilterInput,
): Promise<Response> {
  if (before !== undefined && after !== undefined) {
    throw badFilter("after", "cannot be given together with before; use one of them");
  }
  const id = given.toUpperCase();
  const record = isRecordId(id) ? await reader.get(id) : undefined;
  const earlier = before ?? after;
  if (record !== undefined && earlier !== undefined) {
    const side = before === undefined ? "after" : "before";
    const since = await changeSince(reader, record, earlier.toUpperCase(), side);
    if (since !== undefined) return jsonResponse(200, since);
    const name = JSON.stringify(earlier.slice(0, 64));
    return notFound(`${name} is not an earlier schema change of the same tool.`);
  }
  const found = record && (await definitionChange(reader, record));
  if (found !== undefined) return jsonResponse(200, found);
  return notFound(
    `There is no record of a changed definition ${JSON.stringify(given.slice(0, 64))}.`,
  );
}

/** Returns the schemas by which a call was checked. */
async function schemas(reader: ActivityReader, given: string, now: Date): Promise<Response> {
  const id = given.toUpperCase();
  const filter = parseCallFilter({}, now);
  const found = isRecordId(id) ? await checkedSchemas(reader, id, filter) : undefined;
  if (found !== undefined) return jsonResponse(200, found);
  return notFound(`There is no call or decision ${JSON.stringify(given.slice(0, 64))}.`);
}

/** For how many tools to list the drift. */
const MOST_DRIFTS = 100;

const DAY_MS = 86_400_000;

/** Reads the time of an overview: if no start is given, the last 24 hours, or the 24 hours before `until`. */
function overviewTime({ since, until, period }: FilterInput, now: Date): Required<TimeScope> {
  const scope = parseActivityScope({ since, until, period }, now);
  const end = scope.until ?? now;
  return { since: scope.since ?? new Date(end.getTime() - DAY_MS), until: end };
}

type TimeScope = Pick<ActivityScope, "since" | "until">;

function driftOfTool({ server, tool, schema_hash, since, until, results, findings }: DriftSummary) {
  return { server, tool, schema_hash, since, until, results, findings: findings.length };
}

async function oneCall(reader: ActivityReader, input: FilterInput, now: Date): Promise<Response> {
  const { id: given = "", ...filter } = input;
  const id = given.toUpperCase();
  const found = isRecordId(id) ? await reader.call(id, parseCallFilter(filter, now)) : undefined;
  if (found !== undefined) return jsonResponse(200, found);
  return notFound(`There is no call or decision ${JSON.stringify(given.slice(0, 64))}.`);
}

/** The other data of the store besides records. */
const PATHS = "summary, rollout, repairs, drift, export, events";

async function driftOf(
  reader: ActivityReader,
  { server, tool }: FilterInput,
  { reportOf, known }: DriftReports,
): Promise<Response> {
  const [latest] = await reader.drift(server ?? "", tool ?? "");
  return latest === undefined
    ? notFound(`No results of this tool are known. ${known}`)
    : jsonResponse(200, reportOf(latest));
}

function exported(reader: ActivityReader, input: FilterInput, now: Date): Response {
  const { format: name = "jsonl", ...scope } = input;
  const format = exportFormat(name);
  const pieces = exportActivity(reader, parseSearch(scope, now), format);
  const extension = format === "csv" ? "csv" : "jsonl";
  return new Response(streamOf(textsOf(pieces)), {
    headers: {
      "content-type": EXPORT_TYPES[format],
      "content-disposition": `attachment; filename="activity.${extension}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

function notFound(error: string): Response {
  return jsonResponse(404, { error, code: "NOT_FOUND" });
}

/** Returns text as a body that is produced as fast as it is read; an error ends the body early. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function* textsOf(pieces: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}
