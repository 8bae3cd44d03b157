import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { firstIdAt } from "../ids.ts";
import { FIELD_FILTERS, type FieldFilter } from "../record.ts";
import type { ActivitySelect } from "./builder.ts";
import type { Dialect } from "./tables.ts";

export type Sql = RawBuilder<unknown>;

/** The columns that both records and the tally have. */
const TALLIED = ["type", "direction", "decision", "status", "server", "tool"] as const;
export type TalliedColumn = (typeof TALLIED)[number];

/** A filter's conditions on columns: each must have one of its values. */
export function* fieldConditions(
  scope: ActivityScope,
): Generator<readonly [FieldFilter["field"], readonly string[]], void, undefined> {
  for (const { field, scope: member } of FIELD_FILTERS) {
    const wanted: string | readonly string[] | undefined = scope[member];
    if (wanted !== undefined) yield [field, typeof wanted === "string" ? [wanted] : wanted];
  }
}

/** Returns a filter's conditions on the tally's columns. */
export function* talliedConditions(
  scope: ActivityScope,
): Generator<readonly [TalliedColumn, readonly string[]], void, undefined> {
  for (const [column, values] of fieldConditions(scope)) {
    const tallied = TALLIED.find((name) => name === column);
    if (tallied !== undefined) yield [tallied, values];
  }
}

/** Returns whether the tally has all columns of a filter. */
export function isTallied(scope: ActivityScope): boolean {
  if (searchConditions("sqlite", scope).length > 0) return false;
  return [...fieldConditions(scope)].length === [...talliedConditions(scope)].length;
}

/** Returns a filter's conditions on columns, without the given ones. */
export function inColumns(
  wanted: Iterable<readonly [string, readonly string[]]>,
  given: readonly string[] = [],
): Sql[] {
  return [...wanted]
    .filter(([column]) => !given.some((name) => name === column))
    .map(([column, values]) => sql`${sql.ref(column)} IN (${sql.join(values)})`);
}

/** The columns that text search covers: a call's reason mentions its issues. */
const SEARCHED = ["server", "tool", "client", "caller", "reason", "request_id", "id"] as const;

/** Returns a filter's conditions on calls, besides their columns. */
export function searchConditions(dialect: Dialect, scope: ActivityScope): readonly Sql[] {
  const { rule, text, process } = scope;
  const all: Sql[] = [];
  if (process !== undefined)
    all.push(sql`activity.session IS NULL AND activity.chain = ${process}`);
  if (text !== undefined) {
    const like = sql.raw(dialect === "sqlite" ? "LIKE" : "ILIKE");
    const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
    const arms = SEARCHED.map(
      (column) => sql`${sql.ref(`activity.${column}`)} ${like} ${pattern} ESCAPE '\\'`,
    );
    all.push(sql`(${sql.join(arms, sql` OR `)})`);
  }
  if (rule !== undefined) {
    // A call is as heavy as the decision about it.
    all.push(sql`activity.decision <> 'allowed' AND EXISTS (SELECT 1 FROM activity decided
      WHERE decided.request_id = activity.request_id AND decided.type = 'policy_decision'
        AND ',' || decided.rules || ',' LIKE ${`%,${rule},%`})`);
  }
  return all;
}

/** Returns a filter's conditions on a record's time. */
function timeConditions({ since, until }: ActivityScope): Sql[] {
  const all: Sql[] = [];
  if (since !== undefined) all.push(sql`activity.time >= ${since.toISOString()}`);
  if (until !== undefined) all.push(sql`activity.time < ${until.toISOString()}`);
  return all;
}

/** Returns all conditions of a filter, without the given columns. */
export function recordConditions(
  dialect: Dialect,
  scope: ActivityScope,
  given: readonly string[] = [],
): readonly Sql[] {
  return [
    ...inColumns(fieldConditions(scope), given),
    ...timeConditions(scope),
    ...searchConditions(dialect, scope),
  ];
}

/**
 * Returns conditions on ids for a time range, which the database can seek by. An id's time is never before its
 * record's time, and at most `skewMs` after it: ids keep rising when the clock is set back.
 */
export function timeOfIds({ since, until }: ActivityScope, skewMs: number): readonly Sql[] {
  const all: Sql[] = [];
  if (since !== undefined) all.push(sql`activity.id >= ${firstIdAt(since.getTime())}`);
  if (until !== undefined) all.push(sql`activity.id < ${firstIdAt(until.getTime() + skewMs)}`);
  return all;
}

/** Makes SQLite find records by their ids. It may choose an index with few rows, and sort all of them. */
export function byIds(dialect: Dialect): Sql {
  return sql.raw(dialect === "sqlite" ? "INDEXED BY sqlite_autoindex_activity_1" : "");
}

/** Adds all conditions of a filter. */
export function matching<Output>(
  all: ActivitySelect<Output>,
  scope: ActivityScope,
  dialect: Dialect,
): ActivitySelect<Output> {
  return recordConditions(dialect, scope).reduce<ActivitySelect<Output>>(
    (query, condition) => query.where(condition as RawBuilder<SqlBool>),
    all,
  );
}

/** Adds conditions on ids for a time range. */
export function inTime<Output>(
  all: ActivitySelect<Output>,
  time: ActivityScope,
  skewMs: number,
): ActivitySelect<Output> {
  return timeOfIds(time, skewMs).reduce<ActivitySelect<Output>>(
    (query, condition) => query.where(condition as RawBuilder<SqlBool>),
    all,
  );
}
