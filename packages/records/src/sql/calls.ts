import { type CompiledQuery, sql } from "kysely";
import { type CallFilter, joinDecisions } from "../calls.ts";
import { encodeCursor } from "../cursor.ts";
import type { ActivityScope } from "../filter.ts";
import { idTime } from "../ids.ts";
import { type ActivityRecord, FORWARDED_STATUSES, STOPPED_STATUSES } from "../record.ts";
import type { Call, CallDetail, CallPage } from "../response-schemas.ts";
import { queryBuilder } from "./builder.ts";
import {
  hasTalliedColumns,
  idTimeConditions,
  recordConditions,
  type Sql,
  talliedConditions,
} from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { ceilHour, floorHour } from "./hours.ts";
import { andConditions } from "./index-scan.ts";
import { type RowRange, readRows } from "./pages.ts";
import { type ActivityRow, fromRow } from "./rows.ts";
import { lookUp } from "./search/found.ts";
import { largestSkew, totalOf } from "./totals.ts";
import { byIds, byRequest } from "./way.ts";

/** If at most this many records match the counted conditions, all of them are read. */
const FEW = 20_000;
/** The limit for calls with a text, which take longer to find. */
const FEW_TEXTS = 2_000;
/** How many records each query of a search reads, one query after the other. */
const SEARCHED = [2_000, 8_000, 20_000];
/** How many records a search reads, and about how long it takes, before it stops and returns a cursor. */
const MOST_SEARCHED = 90_000;
const PATIENCE_MS = 1_500;
/** How many decisions to read for one call: a call has at most three, and a tool list has a few more. */
const MOST_DECISIONS = 20;
/** How many calls to read to find the next attempt: they include those of other clients. */
const NEAR = 50;
const CALLS = { types: ["tool_call"] } as const;

/** Returns a page of calls, each with its decisions. */
export async function callPage(
  db: ReadDatabase,
  run: RunQuery,
  filter: CallFilter,
): Promise<CallPage> {
  const { limit, order, after, ...given } = filter;
  const asked: ActivityScope = { ...given, ...CALLS };
  const skew = await largestSkew(db, run);
  const counted = await countedOf(db, run, asked, skew);
  const stretch = { order, after, limit: limit + 1 };
  if (!counted.whole) {
    const { scope, isIndexed } = await lookUp(db, run, asked);
    const found = await search(db, run, { scope, skew, stretch });
    const rows = found.ids.length === 0 ? [] : await rowsWith(db, run, found.ids, order);
    return {
      calls: await folded(db, run, rows.slice(0, limit)),
      total: null,
      limit,
      next_cursor:
        rows.length > limit ? cursorOf(rows[limit - 1]) : found.end && encodeCursor(found.end),
      ...(rows.length > limit || found.end === null
        ? { searched_to: null, searched: null }
        : await searchedTo(db, run, given, {
            ...{ skew, order, isIndexed, end: found.end, calls: found.calls },
          })),
    };
  }
  const rows = counted.total === 0 ? [] : await readRows(db, run, asked, skew, stretch);
  return {
    calls: await folded(db, run, rows.slice(0, limit)),
    total: counted.total,
    limit,
    next_cursor: rows.length > limit ? cursorOf(rows[limit - 1]) : null,
    searched_to: null,
    searched: null,
  };
}

/**
 * Returns where a search stopped, and a lower limit of how many calls in its time range were searched: those that
 * were read, or those of the hours that were passed, whichever are more.
 */
async function searchedTo(
  db: ReadDatabase,
  run: RunQuery,
  { since, until }: ActivityScope,
  {
    skew,
    order,
    end,
    calls,
    isIndexed,
  }: {
    readonly skew: number;
    readonly order: "asc" | "desc";
    readonly end: string;
    /** How many calls were read. */
    readonly calls: number;
    readonly isIndexed: boolean;
  },
): Promise<Pick<CallPage, "searched_to" | "searched">> {
  const time = new Date(idTime(end));
  const all: ActivityScope = { ...CALLS, ...(since && { since }), ...(until && { until }) };
  // Counts of whole hours exist.
  const passed: ActivityScope =
    order === "desc"
      ? { ...all, since: latest(ceilHour(time), since) }
      : { ...all, until: earliest(floorHour(time), until) };
  const of = await totalOf(db, run, all, skew);
  const inHours = await totalOf(db, run, passed, skew);
  const known = Math.min(of, Math.max(calls, inHours));
  return { searched_to: time.toISOString(), searched: { calls: known, of, indexed: isIndexed } };
}

function latest(one: Date, other: Date = one): Date {
  return one > other ? one : other;
}

function earliest(one: Date, other: Date = one): Date {
  return one < other ? one : other;
}

function cursorOf(row: ActivityRow | undefined): string | null {
  return row === undefined ? null : encodeCursor(row.id);
}

/** Returns how many records are in a scope; null if too many records would have to be read. */
async function countedOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skew: number,
): Promise<{ readonly whole: true; readonly total: number } | { readonly whole: false }> {
  const { session, request } = scope;
  if (hasTalliedColumns(scope) || session !== undefined || request !== undefined) {
    return { whole: true, total: await totalOf(db, run, scope, skew) };
  }
  const most = await totalOf(db, run, talliedPart(scope), skew);
  if (most > (scope.texts === undefined ? FEW : FEW_TEXTS)) return { whole: false };
  return { whole: true, total: most === 0 ? 0 : await totalOf(db, run, scope, skew) };
}

/** Returns the part of a scope that the tally has counts for. */
function talliedPart({ since, until, ...scope }: ActivityScope): ActivityScope {
  return {
    ...(since && { since }),
    ...(until && { until }),
    where: [...talliedConditions(scope)].map(({ column, ...of }) => ({ field: column, ...of })),
  };
}

/** The conditions of a search. */
interface Search {
  readonly scope: ActivityScope;
  readonly skew: number;
  readonly stretch: RowRange;
}

/**
 * Reads records one by one, up to a limit.
 * @returns the ids that were found, and the id of the last record that was read; `null` if there are no more records
 */
async function search(
  db: ReadDatabase,
  run: RunQuery,
  { scope, skew, stretch }: Search,
): Promise<{
  readonly ids: readonly string[];
  readonly end: string | null;
  /** How many calls were read. */
  readonly calls: number;
}> {
  const ids: string[] = [];
  let calls = 0;
  let { after } = stretch;
  const stop = performance.now() + PATIENCE_MS;
  for (let [read, times] = [0, 0]; read < MOST_SEARCHED; times += 1) {
    const most = SEARCHED[Math.min(times, SEARCHED.length - 1)] ?? MOST_SEARCHED;
    const limit = stretch.limit - ids.length;
    const of = { scope, skew, stretch: { ...stretch, after, limit } };
    const rows = await run(searchQuery(db, of, most));
    ids.push(...rows.flatMap(({ id, looked }) => (looked === 0 && id !== null ? id : [])));
    const end = rows.find(({ looked }) => looked > 0);
    calls += end?.calls ?? 0;
    if (ids.length >= stretch.limit) return { ids, end: null, calls };
    if (end === undefined || end.looked < most) return { ids, end: null, calls };
    after = end.id ?? undefined;
    read += most;
    if (performance.now() > stop) break;
  }
  return { ids, end: after ?? null, calls };
}

/** A record that was found, for which `looked` is 0; or the last record, and how many were read. */
interface Looked {
  readonly id: string | null;
  readonly looked: number;
  /** How many of the read records are calls. */
  readonly calls: number;
}

function searchQuery(
  { dialect }: ReadDatabase,
  { scope, skew, stretch: { order, after, limit } }: Search,
  most: number,
): CompiledQuery<Looked> {
  const by = sql.raw(order);
  const isDown = order === "desc";
  const place: Sql[] = [...idTimeConditions(scope, skew)];
  if (after !== undefined) place.push(isDown ? sql`id < ${after}` : sql`id > ${after}`);
  const where = place.length === 0 ? sql`` : sql`WHERE ${andConditions(place)}`;
  const hit = andConditions(recordConditions(dialect, scope));
  return sql<Looked>`WITH looked AS MATERIALIZED (
      SELECT id, type, CASE WHEN ${hit} THEN 1 ELSE 0 END AS hit FROM activity ${byIds(dialect)}
      ${where} ORDER BY id ${by} LIMIT ${sql.lit(most)})
    SELECT * FROM (SELECT id, 0 AS looked, 0 AS calls FROM looked WHERE hit = 1 ORDER BY id ${by} LIMIT ${sql.lit(limit)}) found
    UNION ALL SELECT ${isDown ? sql`min(id)` : sql`max(id)`}, count(*),
      count(CASE WHEN type = 'tool_call' THEN 1 END) FROM looked`.compile(queryBuilder(dialect));
}

function rowsWith(
  { dialect }: ReadDatabase,
  run: RunQuery,
  ids: readonly string[],
  order: "asc" | "desc",
): Promise<readonly ActivityRow[]> {
  return run(
    queryBuilder(dialect)
      .selectFrom("activity")
      .selectAll()
      .where("id", "in", ids)
      .orderBy("id", order)
      .compile(),
  );
}

/** Reads the decisions about calls and combines them with the calls. */
async function folded(
  db: ReadDatabase,
  run: RunQuery,
  rows: readonly ActivityRow[],
): Promise<readonly Call[]> {
  const requests = rows.flatMap(({ request_id }) => request_id ?? []);
  const decisions = new Map<string, ActivityRecord[]>();
  if (requests.length > 0) {
    const found = await run(
      sql<ActivityRow>`SELECT * FROM activity ${byRequest(db.dialect)}
        WHERE request_id IN (${sql.join(requests)}) AND type = 'policy_decision'
        ORDER BY id LIMIT ${sql.lit(requests.length * MOST_DECISIONS)}`.compile(
        queryBuilder(db.dialect),
      ),
    );
    for (const row of found) {
      const record = fromRow(row, db.place);
      const of = decisions.get(row.request_id ?? "") ?? [];
      decisions.set(row.request_id ?? "", [...of, record]);
    }
  }
  return rows.map((row) =>
    joinDecisions(fromRow(row, db.place), decisions.get(row.request_id ?? "") ?? []),
  );
}

/** Returns a call, or the call that a decision is about, with everything that belongs to it. */
export async function callDetail(
  db: ReadDatabase,
  run: RunQuery,
  id: string,
  filter: CallFilter,
): Promise<CallDetail | undefined> {
  const records = await recordsOf(db, run, id);
  if (records.length === 0) return undefined;
  const received = records.find(({ response_text }) => response_text !== undefined);
  const own = records.find(({ type }) => type === "tool_call");
  const text = { records, received: received?.response_text ?? null };
  if (own === undefined) {
    return { call: null, ...text, next_attempt: null, next_passed: null, newer: null, older: null };
  }
  const beside = async (order: "asc" | "desc"): Promise<string | null> => {
    const page = await callPage(db, run, { ...filter, order, after: own.id, limit: 1 });
    return page.calls[0]?.id ?? null;
  };
  return {
    call: joinDecisions(
      own,
      records.filter(({ type }) => type === "policy_decision"),
    ),
    ...text,
    next_attempt: await attemptAfter(db, run, own),
    next_passed: await passedAfter(db, run, own),
    newer: await beside("asc"),
    older: await beside("desc"),
  };
}

/** Returns the record and the other records of its request, oldest first. */
async function recordsOf(
  db: ReadDatabase,
  run: RunQuery,
  id: string,
): Promise<readonly ActivityRecord[]> {
  const [row] = await rowsWith(db, run, [id], "asc");
  if (row === undefined) return [];
  if (row.request_id === null) return [fromRow(row, db.place)];
  const rows = await run(
    queryBuilder(db.dialect)
      .selectFrom("activity")
      .selectAll()
      .where("request_id", "=", row.request_id)
      .where("type", "in", ["tool_call", "policy_decision"])
      .orderBy("id")
      .limit(MOST_DECISIONS)
      .compile(),
  );
  const records = rows.map((one) => fromRow(one, db.place));
  return records.some((one) => one.id === id) ? records : [...records, fromRow(row, db.place)];
}

/** Finds the next call of the same tool, server and client in the same session. */
async function attemptAfter(
  db: ReadDatabase,
  run: RunQuery,
  { id, server, tool, session, client }: ActivityRecord,
): Promise<Call | null> {
  // Without a session, only the client's name distinguishes its calls from others.
  if (server === null || tool === null || (session ?? client) === null) return null;
  const of = session === null ? {} : { session };
  const stretch = { order: "asc", after: id, limit: NEAR } as const;
  const rows = await readRows(db, run, { ...CALLS, server, tool, ...of }, 0, stretch);
  const next = rows.find((row) => row.session === session && row.client === client);
  const [call = null] = next === undefined ? [] : await folded(db, run, [next]);
  return call;
}

/**
 * Finds the next call of the same tool that was forwarded, if this one was not: in the same session, or else of the
 * same caller.
 */
async function passedAfter(
  db: ReadDatabase,
  run: RunQuery,
  { id, server, tool, session, client, caller, status }: ActivityRecord,
): Promise<Call | null> {
  if (server === null || tool === null || !STOPPED_STATUSES.has(status)) return null;
  const scope = {
    ...CALLS,
    server,
    tool,
    statuses: [...FORWARDED_STATUSES].flatMap((one) => one ?? []),
  };
  const stretch = { order: "asc", after: id, limit: NEAR } as const;
  const found = async (of: ActivityScope): Promise<ActivityRow | undefined> => {
    const rows = await readRows(db, run, { ...scope, ...of }, 0, stretch);
    // Without a session or a caller, only the client's name distinguishes its calls from others.
    return rows.find((row) => "caller" in of || row.client === client);
  };
  const next =
    (session === null ? undefined : await found({ session })) ??
    (caller === undefined ? undefined : await found({ caller })) ??
    (session === null && caller === undefined && client !== null
      ? await found({ client })
      : undefined);
  const [call = null] = next === undefined ? [] : await folded(db, run, [next]);
  return call;
}
