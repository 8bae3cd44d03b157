import { type CompiledQuery, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { queryBuilder } from "./builder.ts";
import {
  idTimeConditions,
  recordConditions,
  type Sql,
  withScope,
  withTimeRange,
} from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import {
  andConditions,
  type Column,
  columnCombinations,
  type IndexScan,
  planIndexScan,
  remainingConditions,
} from "./index-scan.ts";
import type { ActivityRow } from "./rows.ts";

/** Where a page begins and ends, and its order. */
export interface RowRange {
  readonly order: "asc" | "desc";
  /** The id after which it begins. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly offset?: number;
}

/** Reads a page of the records in a scope. */
export async function readRows(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skew: number,
  stretch: RowRange,
): Promise<readonly ActivityRow[]> {
  const route = db.dialect === "sqlite" ? await planIndexScan(run, scope, skew) : undefined;
  if (route !== undefined) return scanPage(run, route, stretch);
  const { order, after, limit, offset = 0 } = stretch;
  const all = queryBuilder(db.dialect).selectFrom("activity").selectAll();
  let query = withTimeRange(withScope(all, scope, db.dialect), scope, skew);
  if (after !== undefined) query = query.where("id", order === "asc" ? ">" : "<", after);
  return run(query.orderBy("id", order).limit(limit).offset(offset).compile());
}

/**
 * Returns the records of a page: SQLite merges the records of all combinations, each of which is in the order of ids.
 * Queries at most as many combinations as the page has records: those whose first record is the nearest.
 */
export async function scanPage(
  run: RunQuery,
  route: IndexScan,
  { order, after, limit, offset = 0 }: RowRange,
): Promise<readonly ActivityRow[]> {
  const build = queryBuilder("sqlite");
  const by = sql.raw(order);
  const most = limit + offset;
  const beyond = order === "asc" ? sql`id > ${after}` : sql`id < ${after}`;
  const found = [...remainingConditions(route), ...(after === undefined ? [] : [beyond])];
  const { columns, index } = route;
  const idsOf = (given: readonly Sql[]): Sql =>
    sql`SELECT id FROM activity INDEXED BY ${sql.raw(index)} WHERE ${andConditions([...given, ...found])}`;
  const first = sql`(${idsOf(asIn(columns))} ORDER BY id ${by} LIMIT 1)`;
  const ranked = sql<Combination>`SELECT *
    FROM (SELECT k.*, ${first} AS first FROM (${columnCombinations(route)}) k)
    WHERE first IS NOT NULL ORDER BY first ${by} LIMIT ${most}`;
  const some: readonly Combination[] =
    columns.length === 0 ? [{}] : await run(ranked.compile(build));
  if (some.length === 0) return [];
  let arms = some.map((values) =>
    idsOf(columns.map((column) => isSame(column, sql.raw(column), sql`${values[column] ?? null}`))),
  );
  if (arms.length > MOST_ARMS) {
    arms = groupsOf(arms).map(
      (all) => sql`SELECT id FROM (${all} ORDER BY id ${by} LIMIT ${most})`,
    );
  }
  const ids = sql`${union(arms)} ORDER BY id ${by} LIMIT ${limit} OFFSET ${offset}`;
  const page = sql<ActivityRow>`SELECT * FROM activity WHERE id IN (${ids}) ORDER BY id ${by}`;
  return run(page.compile(build));
}

type Combination = Partial<Record<Column, string | null>>;

/** SQLite allows 500 in one statement (https://www.sqlite.org/limits.html). */
const MOST_ARMS = 400;

function union(arms: readonly Sql[]): Sql {
  return sql.join(arms, sql` UNION ALL `);
}

function groupsOf(arms: readonly Sql[]): readonly Sql[] {
  const groups: Sql[] = [];
  for (let at = 0; at < arms.length; at += MOST_ARMS) {
    groups.push(union(arms.slice(at, at + MOST_ARMS)));
  }
  return groups;
}

/** Returns the condition that a record has the combination `k`. */
function asIn(columns: readonly Column[]): readonly Sql[] {
  return columns.map((column) =>
    isSame(column, sql.raw(`activity.${column}`), sql.raw(`k.${column}`)),
  );
}

/** The index on tools has no records without a tool, so SQLite only uses it for comparisons that NULL does not meet. */
function isSame(column: Column, one: Sql, other: Sql): Sql {
  return column === "tool" ? sql`${one} = ${other}` : sql`${one} IS ${other}`;
}

/** Returns the condition that a record is one of those that a route finds in its time range. */
export function isInScan(route: IndexScan): Sql {
  return sql`activity.rowid IN (SELECT activity.rowid FROM (${columnCombinations(route)}) k
      CROSS JOIN activity INDEXED BY ${sql.raw(route.index)}
    WHERE ${andConditions([...asIn(route.columns), ...idTimeConditions(route.scope, route.skewMs)])})`;
}

/** Returns a query for the ids of the latest records in a scope, up to a limit. */
export async function latestIds(
  { dialect }: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skew: number,
  most: number,
): Promise<Sql> {
  const route = dialect === "sqlite" ? await planIndexScan(run, scope, skew) : undefined;
  const last = sql`ORDER BY activity.id DESC LIMIT ${sql.lit(most)}`;
  if (route === undefined) {
    const found = [...recordConditions(dialect, scope), ...idTimeConditions(scope, skew)];
    return sql`SELECT activity.id FROM activity WHERE ${andConditions(found)} ${last}`;
  }
  const found = [...asIn(route.columns), ...remainingConditions(route)];
  return sql`SELECT activity.id FROM (${columnCombinations(route)}) k
    CROSS JOIN activity INDEXED BY ${sql.raw(route.index)} WHERE ${andConditions(found)} ${last}`;
}

/** Returns a query for the number of records of a route. */
export function scanCount(route: IndexScan): CompiledQuery<{ readonly records: number }> {
  return sql<{ records: number }>`SELECT count(*) AS records FROM (${columnCombinations(route)}) k
      CROSS JOIN activity INDEXED BY ${sql.raw(route.index)}
    WHERE ${andConditions([...asIn(route.columns), ...remainingConditions(route)])}`.compile(
    queryBuilder("sqlite"),
  );
}
