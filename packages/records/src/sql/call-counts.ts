import { sql } from "kysely";
import type { CallScope } from "../calls.ts";
import { type ActivityScope, DIRECTIONS } from "../filter.ts";
import { REFUSED_STATUSES } from "../record.ts";
import type { CallBucket, CallHistogram, CallValues } from "../response-schemas.ts";
import { queryBuilder } from "./builder.ts";
import { hasTalliedColumns, idTimeConditions, recordConditions } from "./conditions.ts";
import { hourlyCounts } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { addDurations, DURATION, type Durations } from "./durations.ts";
import { HOUR_MS } from "./hours.ts";
import { andConditions } from "./index-scan.ts";
import { latestIds } from "./pages.ts";
import { isAbout } from "./problems/filter.ts";
import { joinedTextSql } from "./rollup.ts";
import { lookUp } from "./search/found.ts";
import { largestSkew, totalOf } from "./totals.ts";
import { byIds, byRequest } from "./way.ts";

const DAY_MS = 24 * HOUR_MS;
/** Bucket lengths that are easy to read, in milliseconds. */
const STEPS = [
  ...[1, 5, 10, 30, 60, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY_MS),
];
/** How many records to read one by one, beginning with the latest. */
const MOST_RECORDS = 100_000;
/** The same limit if each record is compared with texts, which takes longer. */
const MOST_COMPARED = 40_000;
/**
 * How many decisions about the tool of a problem to read, beginning with the latest. Reading a decision costs more
 * than reading a record.
 */
const MOST_DECISIONS = 4_000;
/** The longest time between a decision and the end of its call. */
const LONGEST_CALL_MS = HOUR_MS;
/** How many of the latest records supply the values for filters. */
const LATEST = 20_000;
const MOST_VALUES = 1_000;
const MOST_SESSIONS = 100;
const STATUSES = [
  "success",
  "warning",
  "repaired",
  "blocked",
  "error",
  ...REFUSED_STATUSES,
] as const;
type Status = (typeof STATUSES)[number];

interface Cell {
  /** The beginning of a time text, which identifies the bucket. */
  readonly slot: string;
  readonly status: string | null;
  readonly calls: number;
  /** In the format of `durations.ts`. */
  readonly durations: string | null;
}

/** Counts calls by time and status, in at most the given number of buckets. */
export async function callHistogram(
  db: ReadDatabase,
  run: RunQuery,
  given: CallScope,
  options: { readonly buckets: number; readonly now: Date },
): Promise<CallHistogram> {
  const skew = await largestSkew(db, run);
  return (await timedCalls(db, run, given, { ...options, skew, durations: false })).histogram;
}

/** Calls by time, with the durations of each bucket's calls if they were requested. */
export interface TimedCalls {
  readonly histogram: CallHistogram;
  readonly durations: readonly Durations[];
}

/** Counts calls, or other records, by time and status, in at most the given number of buckets, with their durations. */
export async function timedCalls(
  db: ReadDatabase,
  run: RunQuery,
  given: CallScope,
  {
    buckets,
    now,
    skew,
    durations: isTimed,
    type = "tool_call",
  }: {
    readonly buckets: number;
    readonly now: Date;
    readonly skew: number;
    readonly durations: boolean;
    readonly type?: "tool_call" | "policy_decision";
  },
): Promise<TimedCalls> {
  const asked: ActivityScope = { ...given, types: [type] };
  const { scope } = await lookUp(db, run, asked);
  const until = given.until ?? now;
  const since = given.since ?? new Date(until.getTime() - DAY_MS);
  const byHours = hasTalliedColumns(scope);
  const length = until.getTime() - since.getTime();
  const stepFrom = (least: number): number =>
    STEPS.find((ms) => ms >= least && Math.ceil(length / ms) + 1 <= buckets) ??
    Math.ceil(length / buckets / DAY_MS + 1) * DAY_MS;
  let step = stepFrom(1_000);
  if (byHours && step < HOUR_MS) {
    // Counts of whole hours exist. Shorter intervals need a count, because there may be too many records to read.
    const records = await totalOf(db, run, { ...scope, since, until }, skew);
    if (records > MOST_RECORDS) step = stepFrom(HOUR_MS);
  }
  const begin = Math.floor(since.getTime() / step) * step;
  const whole = { ...scope, since: new Date(begin), until };
  const counted =
    byHours && step >= HOUR_MS
      ? { cells: await hoursOf(db, run, whole, { skew, isTimed }), from: null }
      : await (whole.issue ? problemCallsOf : recordsOf)(db, run, whole, { skew, step, isTimed });
  const size = Math.max(1, Math.ceil((until.getTime() - begin) / step));
  const found = Array.from({ length: size }, (_, at) => empty(new Date(begin + at * step)));
  const durations = found.map((): Durations => new Map());
  for (const { slot, status, calls, durations: text } of counted.cells) {
    const index = Math.floor((Date.parse(bucketStart(slot)) - begin) / step);
    const at = Math.min(Math.max(0, index), size - 1);
    const [bucket, of] = [found[at], durations[at]];
    if (bucket === undefined || of === undefined) continue;
    bucket.calls += calls;
    const known = STATUSES.find((one) => one === status);
    if (known !== undefined) bucket[known] += calls;
    addDurations(of, text);
  }
  return {
    histogram: {
      since: new Date(begin).toISOString(),
      until: until.toISOString(),
      bucket_ms: step,
      buckets: found,
      counted_from: counted.from,
    },
    durations,
  };
}

type Counting = { -readonly [Name in keyof CallBucket]: CallBucket[Name] };

function empty(time: Date): Counting {
  return {
    time: time.toISOString(),
    calls: 0,
    ...(Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>),
  };
}

/** Returns how many characters of a time text distinguish buckets of a given length. */
export function bucketPrefixLength(step: number): number {
  return step >= HOUR_MS ? 13 : step >= 60_000 ? 16 : 19;
}

const START = "1970-01-01T00:00:00.000Z";

/** Returns the time for a prefix of it, such as `2026-08-31T09`. */
export function bucketStart(slot: string): string {
  return slot + START.slice(slot.length);
}

/** Counts calls by the hour. */
async function hoursOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  { skew, isTimed }: { readonly skew: number; readonly isTimed: boolean },
): Promise<readonly Cell[]> {
  const durations = sql.raw(isTimed ? joinedTextSql(db.dialect, "durations") : "NULL");
  const query = sql<Cell>`SELECT hour AS slot, status, sum(records) AS calls, ${durations} AS durations
    FROM ${await hourlyCounts(db, run, scope, skew)} GROUP BY hour, status`;
  return run(query.compile(queryBuilder(db.dialect)));
}

/** Counts records one by one, beginning with the latest. */
async function recordsOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  {
    skew,
    step,
    isTimed,
  }: { readonly skew: number; readonly step: number; readonly isTimed: boolean },
): Promise<{ readonly cells: readonly Cell[]; readonly from: string | null }> {
  const { dialect } = db;
  const most = scope.texts === undefined ? MOST_RECORDS : MOST_COMPARED;
  const length = bucketPrefixLength(step);
  const hit = andConditions(recordConditions(dialect, scope));
  const where = andConditions(idTimeConditions(scope, skew));
  const text = `CASE WHEN hit = 1 THEN ${DURATION} END`;
  const durations = sql.raw(isTimed ? joinedTextSql(dialect, text) : "NULL");
  const query = sql<Cell & { readonly looked: number; readonly first: string }>`
    WITH looked AS MATERIALIZED (
      SELECT time, status, duration_ms, CASE WHEN ${hit} THEN 1 ELSE 0 END AS hit FROM activity ${byIds(dialect)}
      WHERE ${where} ORDER BY id DESC LIMIT ${sql.lit(most)})
    SELECT substr(time, 1, ${sql.lit(length)}) AS slot, status, sum(hit) AS calls, count(*) AS looked,
      min(time) AS first, ${durations} AS durations
    FROM looked GROUP BY substr(time, 1, ${sql.lit(length)}), status`;
  const cells = await run(query.compile(queryBuilder(dialect)));
  const looked = cells.reduce((sum, cell) => sum + cell.looked, 0);
  const first = cells.reduce((least, cell) => (cell.first < least ? cell.first : least), "~");
  return { cells, from: looked < most ? null : first };
}

/**
 * Counts the calls of a problem. An index finds the decisions about its tool, and these lead to the calls, which may
 * be few and distributed over the whole time.
 */
async function problemCallsOf(
  db: ReadDatabase,
  run: RunQuery,
  { problem: _, issue, ...scope }: ActivityScope,
  { skew, step }: { readonly skew: number; readonly step: number },
): Promise<{ readonly cells: readonly Cell[]; readonly from: string | null }> {
  if (!issue) return { cells: [], from: null };
  const { dialect } = db;
  const { server, tool, direction } = issue;
  const { since, until } = scope;
  const decisions = await latestIds(
    db,
    run,
    {
      ...(server === "" ? {} : { server }),
      ...{ tool, types: ["policy_decision"], decisions: ["warning", "blocked"] },
      directions: DIRECTIONS.filter((one) => one === direction),
      ...(since && { since: new Date(since.getTime() - LONGEST_CALL_MS) }),
      ...(until && { until }),
    },
    skew,
    MOST_DECISIONS,
  );
  const length = sql.lit(bucketPrefixLength(step));
  const query = sql<Cell & { readonly looked: number; readonly first: string }>`
    WITH seen AS MATERIALIZED (
      SELECT request_id, time, CASE WHEN ${isAbout(dialect, issue)} THEN 1 ELSE 0 END AS hit
      FROM activity decided WHERE decided.id IN (${decisions})),
    hits AS MATERIALIZED (SELECT DISTINCT request_id FROM seen WHERE hit = 1 AND request_id IS NOT NULL)
    SELECT substr(activity.time, 1, ${length}) AS slot, status, count(*) AS calls, 0 AS looked, '~' AS first, NULL AS durations
    FROM hits CROSS JOIN activity ${byRequest(dialect)}
    WHERE activity.request_id = hits.request_id AND ${andConditions(recordConditions(dialect, scope))}
    GROUP BY substr(activity.time, 1, ${length}), status
    UNION ALL SELECT '', NULL, 0, count(*), coalesce(min(time), '~'), NULL FROM seen`;
  const rows = await run(query.compile(queryBuilder(dialect)));
  const all = rows.find(({ slot }) => slot === "");
  return {
    cells: rows.filter(({ slot }) => slot !== ""),
    from: all === undefined || all.looked < MOST_DECISIONS ? null : all.first,
  };
}

/** Returns the values by which calls can be filtered. */
export async function callValues(db: ReadDatabase, run: RunQuery): Promise<CallValues> {
  const { dialect } = db;
  type Recent = {
    readonly client: string | null;
    readonly caller: string | null;
    readonly session: string | null;
    readonly server: string | null;
    readonly tool: string | null;
    readonly rules: string | null;
    readonly records: number;
  };
  const latest = await run(
    sql<Recent>`SELECT server, tool, client, caller, session, rules, count(*) AS records FROM
      (SELECT id, server, tool, client, caller, session, rules FROM activity ORDER BY id DESC LIMIT ${sql.lit(LATEST)}) latest
      GROUP BY server, tool, client, caller, session, rules ORDER BY max(id) DESC`.compile(
      queryBuilder(dialect),
    ),
  );
  const tools =
    dialect === "sqlite"
      ? await run(
          sql<
            Pick<Recent, "server" | "tool">
          >`SELECT DISTINCT nullif(server, '') AS server, nullif(tool, '') AS tool
            FROM tally WHERE hour = '' AND type = 'tool_call' LIMIT ${sql.lit(MOST_VALUES + 1)}`.compile(
            queryBuilder(dialect),
          ),
        )
      : latest;
  const of = <Name extends keyof Recent>(name: Name): string[] => {
    const values = latest.flatMap((row) => row[name] ?? []);
    return [...new Set(values)].map(String);
  };
  const known = new Map<string, { server: string | null; tool: string }>();
  for (const { server, tool } of tools) {
    if (tool !== null) known.set(JSON.stringify([server, tool]), { server, tool });
  }
  const servers = [...new Set(tools.flatMap(({ server }) => server ?? []))];
  const rules = new Set(of("rules").flatMap((list) => list.split(",")));
  const looked = latest.reduce((sum, { records }) => sum + records, 0);
  const clients = of("client");
  const callers = of("caller");
  const sessions = of("session");
  return {
    servers: servers.toSorted().slice(0, MOST_VALUES),
    tools: [...known.values()]
      .toSorted((a, b) => (name(a) < name(b) ? -1 : 1))
      .slice(0, MOST_VALUES),
    clients: clients.toSorted().slice(0, MOST_VALUES),
    callers: callers.toSorted().slice(0, MOST_VALUES),
    sessions: sessions.slice(0, MOST_SESSIONS),
    rules: [...rules].toSorted(),
    complete:
      looked < LATEST &&
      known.size <= MOST_VALUES &&
      clients.length <= MOST_VALUES &&
      callers.length <= MOST_VALUES &&
      sessions.length <= MOST_SESSIONS,
  };
}

function name({ server, tool }: { server: string | null; tool: string }): string {
  return `${server ?? ""}/${tool}`;
}
