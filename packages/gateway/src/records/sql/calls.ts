import { type CompiledQuery, sql } from "kysely";
import type { Call, CallDetail, CallPage } from "../api/schemas.ts";
import { type CallFilter, callOf } from "../calls.ts";
import { encodeCursor } from "../cursor.ts";
import type { ActivityScope } from "../filter.ts";
import { idTime } from "../ids.ts";
import type { ActivityRecord } from "../record.ts";
import { queryBuilder } from "./builder.ts";
import { byIds, isTallied, recordConditions, type Sql, timeOfIds } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { readRows, type Stretch } from "./pages.ts";
import { and } from "./routes.ts";
import { type ActivityRow, fromRow } from "./rows.ts";
import { largestSkew, totalOf } from "./totals.ts";

/** If at most this many records match the counted conditions, all of them are read. */
const FEW = 20_000;
/** How many records a search reads, one query after the other, before it stops and returns a cursor. */
const SEARCHED = [2_000, 8_000, 30_000];
/** How many decisions to read for one call: it has three at most, and a list has some more. */
const MOST_DECISIONS = 20;
/** How many calls to read to find the next attempt: those of other clients are among them. */
const NEAR = 50;
const CALLS = { types: ["tool_call"] } as const;

/** Returns a page of calls, each with its decisions. */
export async function callPage(
  db: ReadDatabase,
  run: RunQuery,
  filter: CallFilter,
): Promise<CallPage> {
  const { limit, order, after, ...given } = filter;
  const scope: ActivityScope = { ...given, ...CALLS };
  const skew = await largestSkew(db, run);
  const counted = await countedOf(db, run, scope, skew);
  const stretch = { order, after, limit: limit + 1 };
  if (!counted.whole) {
    const found = await search(db, run, { scope, skew, stretch });
    const rows = found.ids.length === 0 ? [] : await rowsWith(db, run, found.ids, order);
    return {
      calls: await folded(db, run, rows.slice(0, limit)),
      total: null,
      limit,
      next_cursor:
        rows.length > limit ? cursorOf(rows[limit - 1]) : found.end && encodeCursor(found.end),
      searched_to:
        rows.length > limit || found.end === null
          ? null
          : new Date(idTime(found.end)).toISOString(),
    };
  }
  const rows = counted.total === 0 ? [] : await readRows(db, run, scope, skew, stretch);
  return {
    calls: await folded(db, run, rows.slice(0, limit)),
    total: counted.total,
    limit,
    next_cursor: rows.length > limit ? cursorOf(rows[limit - 1]) : null,
    searched_to: null,
  };
}

function cursorOf(row: ActivityRow | undefined): string | null {
  return row === undefined ? null : encodeCursor(row.id);
}

/** Returns how many records are in a scope, or null if that would mean reading too many of them. */
async function countedOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skew: number,
): Promise<{ readonly whole: true; readonly total: number } | { readonly whole: false }> {
  const { session, request } = scope;
  if (isTallied(scope) || session !== undefined || request !== undefined) {
    return { whole: true, total: await totalOf(db, run, scope, skew) };
  }
  const { since, until, types, directions, decisions, statuses, server, tool } = scope;
  const tallied = { since, until, types, directions, decisions, statuses, server, tool };
  const most = await totalOf(db, run, present(tallied), skew);
  if (most > FEW) return { whole: false };
  return { whole: true, total: most === 0 ? 0 : await totalOf(db, run, scope, skew) };
}

function present(scope: { readonly [Name in keyof ActivityScope]: unknown }): ActivityScope {
  return Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
}

/** What to search for. */
interface Search {
  readonly scope: ActivityScope;
  readonly skew: number;
  readonly stretch: Stretch;
}

/**
 * Reads up to this many records one by one.
 * @returns the ids that were found, and the id of the last record that was read; `null` if there are no others
 */
async function search(
  db: ReadDatabase,
  run: RunQuery,
  { scope, skew, stretch }: Search,
): Promise<{ readonly ids: readonly string[]; readonly end: string | null }> {
  const ids: string[] = [];
  let { after } = stretch;
  for (const most of SEARCHED) {
    const limit = stretch.limit - ids.length;
    const of = { scope, skew, stretch: { ...stretch, after, limit } };
    const rows = await run(searchQuery(db, of, most));
    ids.push(...rows.flatMap(({ id, looked }) => (looked === 0 && id !== null ? id : [])));
    const end = rows.find(({ looked }) => looked > 0);
    if (ids.length >= stretch.limit) return { ids, end: null };
    if (end === undefined || end.looked < most) return { ids, end: null };
    after = end.id ?? undefined;
  }
  return { ids, end: after ?? null };
}

/** A found record, for which `looked` is 0; or the last one, and how many were read. */
interface Looked {
  readonly id: string | null;
  readonly looked: number;
}

function searchQuery(
  { dialect }: ReadDatabase,
  { scope, skew, stretch: { order, after, limit } }: Search,
  most: number,
): CompiledQuery<Looked> {
  const by = sql.raw(order);
  const isDown = order === "desc";
  const place: Sql[] = [...timeOfIds(scope, skew)];
  if (after !== undefined) place.push(isDown ? sql`id < ${after}` : sql`id > ${after}`);
  const where = place.length === 0 ? sql`` : sql`WHERE ${and(place)}`;
  const hit = and(recordConditions(dialect, scope));
  return sql<Looked>`WITH looked AS MATERIALIZED (
      SELECT id, CASE WHEN ${hit} THEN 1 ELSE 0 END AS hit FROM activity ${byIds(dialect)}
      ${where} ORDER BY id ${by} LIMIT ${sql.lit(most)})
    SELECT * FROM (SELECT id, 0 AS looked FROM looked WHERE hit = 1 ORDER BY id ${by} LIMIT ${sql.lit(limit)}) found
    UNION ALL SELECT ${isDown ? sql`min(id)` : sql`max(id)`}, count(*) FROM looked`.compile(
    queryBuilder(dialect),
  );
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

/** Reads the decisions about calls and adds them. */
async function folded(
  db: ReadDatabase,
  run: RunQuery,
  rows: readonly ActivityRow[],
): Promise<readonly Call[]> {
  const requests = rows.flatMap(({ request_id }) => request_id ?? []);
  const decisions = new Map<string, ActivityRecord[]>();
  if (requests.length > 0) {
    const found = await run(
      queryBuilder(db.dialect)
        .selectFrom("activity")
        .selectAll()
        .where("request_id", "in", requests)
        .where("type", "=", "policy_decision")
        .orderBy("id")
        .limit(requests.length * MOST_DECISIONS)
        .compile(),
    );
    for (const row of found) {
      const record = fromRow(row, db.place);
      const of = decisions.get(row.request_id ?? "") ?? [];
      decisions.set(row.request_id ?? "", [...of, record]);
    }
  }
  return rows.map((row) =>
    callOf(fromRow(row, db.place), decisions.get(row.request_id ?? "") ?? []),
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
    return { call: null, ...text, next_attempt: null, newer: null, older: null };
  }
  const beside = async (order: "asc" | "desc"): Promise<string | null> => {
    const page = await callPage(db, run, { ...filter, order, after: own.id, limit: 1 });
    return page.calls[0]?.id ?? null;
  };
  return {
    call: callOf(
      own,
      records.filter(({ type }) => type === "policy_decision"),
    ),
    ...text,
    next_attempt: await attemptAfter(db, run, own),
    newer: await beside("asc"),
    older: await beside("desc"),
  };
}

/** Returns the record and those of the same request, oldest first. */
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
