import { sql } from "kysely";
import type {
  CallBucket,
  CallHistogram,
  CallValues,
  Session,
  SessionPage,
} from "../api/schemas.ts";
import { type CallScope, PROCESS } from "../calls.ts";
import { encodeCursor } from "../cursor.ts";
import type { ActivityScope } from "../filter.ts";
import { REFUSED } from "../record.ts";
import { queryBuilder } from "./builder.ts";
import { byIds, isTallied, recordConditions, timeOfIds } from "./conditions.ts";
import { countedIn } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { addDurations, DURATION, type Durations } from "./durations.ts";
import { HOUR_MS } from "./hours.ts";
import { joinedText } from "./rollup.ts";
import { and } from "./routes.ts";
import { largestSkew, totalOf } from "./totals.ts";

const DAY_MS = 24 * HOUR_MS;
/** Bucket lengths that people read easily, in milliseconds. */
const STEPS = [
  ...[1, 5, 10, 30, 60, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY_MS),
];
/** How many records to read one by one, from the latest on. */
const MOST_RECORDS = 100_000;
/** The latest records supply the values for filters. */
const LATEST = 20_000;
const MOST_VALUES = 1_000;
const MOST_SESSIONS = 100;
const STATUSES = ["success", "warning", "repaired", "blocked", "error", ...REFUSED] as const;
type Status = (typeof STATUSES)[number];

interface Cell {
  /** The beginning of times. */
  readonly slot: string;
  readonly status: string | null;
  readonly calls: number;
  /** As `durations.ts` has them. */
  readonly durations: string | null;
}

/** Counts calls by time and status, in at most that many buckets. */
export async function histogramOf(
  db: ReadDatabase,
  run: RunQuery,
  given: CallScope,
  options: { readonly buckets: number; readonly now: Date },
): Promise<CallHistogram> {
  const skew = await largestSkew(db, run);
  return (await timedCalls(db, run, given, { ...options, skew, durations: false })).histogram;
}

/** Calls by time, with the durations of those of each bucket if they were asked for. */
export interface TimedCalls {
  readonly histogram: CallHistogram;
  readonly durations: readonly Durations[];
}

/** Counts calls, or other records, by time and status, in at most that many buckets, with their durations. */
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
  const scope: ActivityScope = { ...given, types: [type] };
  const until = given.until ?? now;
  const since = given.since ?? new Date(until.getTime() - DAY_MS);
  const byHours = isTallied(scope);
  // Whole hours are counted already. Of shorter times, there may be too many records to read.
  const isLarge =
    byHours && (await totalOf(db, run, { ...scope, since, until }, skew)) > MOST_RECORDS;
  const length = until.getTime() - since.getTime();
  const least = isLarge ? HOUR_MS : 1_000;
  const step =
    STEPS.find((ms) => ms >= least && Math.ceil(length / ms) + 1 <= buckets) ??
    Math.ceil(length / buckets / DAY_MS + 1) * DAY_MS;
  const begin = Math.floor(since.getTime() / step) * step;
  const whole = { ...scope, since: new Date(begin), until };
  const counted =
    byHours && step >= HOUR_MS
      ? { cells: await hoursOf(db, run, whole, { skew, isTimed }), from: null }
      : await recordsOf(db, run, whole, { skew, step, isTimed });
  const size = Math.max(1, Math.ceil((until.getTime() - begin) / step));
  const found = Array.from({ length: size }, (_, at) => empty(new Date(begin + at * step)));
  const durations = found.map((): Durations => new Map());
  for (const { slot, status, calls, durations: text } of counted.cells) {
    const index = Math.floor((Date.parse(timeOf(slot)) - begin) / step);
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

/** How long a beginning of a time is that tells buckets of a length apart. */
export function slotLength(step: number): number {
  return step >= HOUR_MS ? 13 : step >= 60_000 ? 16 : 19;
}

const START = "1970-01-01T00:00:00.000Z";

/** Returns the time for a prefix of it, such as `2026-08-31T09`. */
export function timeOf(slot: string): string {
  return slot + START.slice(slot.length);
}

/** Counts calls by the hour. */
async function hoursOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  { skew, isTimed }: { readonly skew: number; readonly isTimed: boolean },
): Promise<readonly Cell[]> {
  const durations = sql.raw(isTimed ? joinedText(db.dialect, "durations") : "NULL");
  const query = sql<Cell>`SELECT hour AS slot, status, sum(records) AS calls, ${durations} AS durations
    FROM ${await countedIn(db, run, scope, skew)} GROUP BY hour, status`;
  return run(query.compile(queryBuilder(db.dialect)));
}

/** Counts records one by one, from the latest on. */
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
  const length = slotLength(step);
  const hit = and(recordConditions(dialect, scope));
  const where = and(timeOfIds(scope, skew));
  const text = `CASE WHEN hit = 1 THEN ${DURATION} END`;
  const durations = sql.raw(isTimed ? joinedText(dialect, text) : "NULL");
  const query = sql<Cell & { readonly looked: number; readonly first: string }>`
    WITH looked AS MATERIALIZED (
      SELECT time, status, duration_ms, CASE WHEN ${hit} THEN 1 ELSE 0 END AS hit FROM activity ${byIds(dialect)}
      WHERE ${where} ORDER BY id DESC LIMIT ${sql.lit(MOST_RECORDS)})
    SELECT substr(time, 1, ${sql.lit(length)}) AS slot, status, sum(hit) AS calls, count(*) AS looked,
      min(time) AS first, ${durations} AS durations
    FROM looked GROUP BY substr(time, 1, ${sql.lit(length)}), status`;
  const cells = await run(query.compile(queryBuilder(dialect)));
  const looked = cells.reduce((sum, cell) => sum + cell.looked, 0);
  const first = cells.reduce((least, cell) => (cell.first < least ? cell.first : least), "~");
  return { cells, from: looked < MOST_RECORDS ? null : first };
}

/** Returns the values by which calls can be filtered. */
export async function valuesOf(db: ReadDatabase, run: RunQuery): Promise<CallValues> {
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

/** A conversation that was seen among the latest records. */
interface Seen {
  readonly session: string | null;
  readonly chain: string;
  readonly last: string;
}

/**
 * Returns conversations, the one with the latest call first: sessions and, for calls without one, processes.
 * @param after id of the last call of the conversation before
 */
export async function sessionsOf(
  db: ReadDatabase,
  run: RunQuery,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<SessionPage> {
  const build = queryBuilder(db.dialect);
  const before = after === undefined ? sql`` : sql`WHERE id < ${after}`;
  const seen = await run(
    sql<Seen & { readonly looked: number; readonly end: string }>`
      WITH looked AS MATERIALIZED (SELECT id, type, session, CASE WHEN session IS NULL THEN chain ELSE '' END AS chain
        FROM activity ${byIds(db.dialect)} ${before} ORDER BY id DESC LIMIT ${sql.lit(LATEST)})
      SELECT session, chain, max(CASE WHEN type = 'tool_call' THEN id END) AS last,
        (SELECT count(*) FROM looked) AS looked, (SELECT min(id) FROM looked) AS "end"
      FROM looked GROUP BY session, chain
      HAVING max(CASE WHEN type = 'tool_call' THEN id END) IS NOT NULL
      ORDER BY last DESC LIMIT ${sql.lit(limit * 2 + 1)}`.compile(build),
  );
  const sessions: Session[] = [];
  let last: string | undefined;
  let more = false;
  for (const one of seen) {
    if (sessions.length === limit) {
      more = true;
      break;
    }
    last = one.last;
    const found = await sessionOf(run, db, one);
    // A conversation with later calls was on an earlier page.
    if (found !== undefined && (after === undefined || found.lastId <= one.last)) {
      sessions.push(found.session);
    }
  }
  const [first] = seen;
  const isCut = first !== undefined && first.looked >= LATEST;
  const next = more || seen.length > limit * 2 ? last : isCut ? first.end : undefined;
  return { sessions, next_cursor: next === undefined ? null : encodeCursor(next) };
}

interface Summed {
  readonly server: string | null;
  readonly client: string | null;
  readonly calls: number;
  readonly blocked: number;
  readonly warning: number;
  readonly error: number;
  readonly denied: number;
  readonly held: number;
  readonly out_of_bounds: number;
  readonly limited: number;
  readonly first: string;
  readonly last: string;
  readonly last_id: string;
}

/** Returns the totals of a conversation, as far as its latest records show. */
async function sessionOf(
  run: RunQuery,
  db: ReadDatabase,
  { session, chain }: Seen,
): Promise<{ readonly session: Session; readonly lastId: string } | undefined> {
  const own =
    session === null ? sql`chain = ${chain} AND session IS NULL` : sql`session = ${session}`;
  const order = session === null ? sql.raw("seq") : sql.raw("id");
  const ended = (name: string, ...more: readonly string[]) =>
    sql`count(CASE WHEN status IN (${sql.join([name, ...more].map((one) => sql.lit(one)))}) THEN 1 END) AS ${sql.raw(name)}`;
  const rows = await run(
    sql<Summed>`SELECT server, client, count(*) AS calls, ${ended("blocked")}, ${ended("warning")},
        ${ended("error")}, ${ended("denied")}, ${ended("held")}, ${ended("out_of_bounds")},
        ${ended("limited", "rejected")}, min(time) AS first, max(time) AS last, max(id) AS last_id
      FROM (SELECT * FROM activity WHERE ${own} ORDER BY ${order} DESC LIMIT ${sql.lit(MOST_OF_SESSION)}) own
      WHERE type = 'tool_call' GROUP BY server, client`.compile(queryBuilder(db.dialect)),
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const sum = (read: (row: Summed) => number): number =>
    rows.reduce((total, row) => total + read(row), 0);
  const times = rows.flatMap((row) => [row.first, row.last]).toSorted();
  return {
    session: {
      session: session ?? `${PROCESS}${chain}`,
      client: rows.find(({ client }) => client !== null)?.client ?? null,
      servers: [...new Set(rows.flatMap(({ server }) => server ?? []))].toSorted(),
      first: times[0] ?? first.first,
      last: times.at(-1) ?? first.last,
      calls: sum(({ calls }) => calls),
      blocked: sum(({ blocked }) => blocked),
      warning: sum(({ warning }) => warning),
      error: sum(({ error }) => error),
      denied: sum(({ denied }) => denied),
      held: sum(({ held }) => held),
      out_of_bounds: sum(({ out_of_bounds }) => out_of_bounds),
      limited: sum(({ limited }) => limited),
    },
    lastId:
      rows
        .map(({ last_id }) => last_id)
        .toSorted()
        .at(-1) ?? "",
  };
}

/** How many records of one conversation to count, from the latest on. */
const MOST_OF_SESSION = 2_000;
