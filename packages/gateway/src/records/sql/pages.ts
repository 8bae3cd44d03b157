import { type CompiledQuery, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { queryBuilder } from "./builder.ts";
import { inTime, matching, type Sql, timeOfIds } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { and, type Column, combinations, conditions, type Route, routeOf } from "./routes.ts";
import type { ActivityRow } from "./rows.ts";

/** Where a page begins and ends, and its order. */
export interface Stretch {
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
  stretch: Stretch,
): Promise<readonly ActivityRow[]> {
  const route = db.dialect === "sqlite" ? await routeOf(run, scope, skew) : undefined;
  if (route !== undefined) return pageOn(run, route, stretch);
  const { order, after, limit, offset = 0 } = stretch;
  const all = queryBuilder(db.dialect).selectFrom("activity").selectAll();
  let query = inTime(matching(all, scope, db.dialect), scope, skew);
  if (after !== undefined) query = query.where("id", order === "asc" ? ">" : "<", after);
  return run(query.orderBy("id", order).limit(limit).offset(offset).compile());
}

/**
 * Returns the records of a page: SQLite merges the records of each combination, which are in the order of their ids.
 * Queries at most as many combinations as the page has records: those whose first record comes first.
 */
export async function pageOn(
  run: RunQuery,
  route: Route,
  { order, after, limit, offset = 0 }: Stretch,
): Promise<readonly ActivityRow[]> {
  const build = queryBuilder("sqlite");
  const by = sql.raw(order);
  const most = limit + offset;
  const beyond = order === "asc" ? sql`id > ${after}` : sql`id < ${after}`;
  const found = [...conditions(route), ...(after === undefined ? [] : [beyond])];
  const { columns, index } = route;
  const idsOf = (given: readonly Sql[]): Sql =>
    sql`SELECT id FROM activity INDEXED BY ${sql.raw(index)} WHERE ${and([...given, ...found])}`;
  const first = sql`(${idsOf(asIn(columns))} ORDER BY id ${by} LIMIT 1)`;
  const ranked = sql<Combination>`SELECT *
    FROM (SELECT k.*, ${first} AS first FROM (${combinations(route)}) k)
    WHERE first IS NOT NULL ORDER BY first ${by} LIMIT ${most}`;
  const some: readonly Combination[] =
    columns.length === 0 ? [{}] : await run(ranked.compile(build));
  if (some.length === 0) return [];
  let arms = some.map((values) =>
    idsOf(columns.map((column) => sql`${sql.raw(column)} IS ${values[column] ?? null}`)),
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

/** SQLite takes 500 in one statement (https://www.sqlite.org/limits.html). */
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
  return columns.map((column) => sql.raw(`activity.${column} IS k.${column}`));
}

/** That a record is one of those that a route finds in its stretch of time. */
export function isOn(route: Route): Sql {
  return sql`activity.rowid IN (SELECT activity.rowid FROM (${combinations(route)}) k
      CROSS JOIN activity INDEXED BY ${sql.raw(route.index)}
    WHERE ${and([...asIn(route.columns), ...timeOfIds(route.scope, route.skewMs)])})`;
}

/** Returns how many records there are. */
export function countOn(route: Route): CompiledQuery<{ readonly records: number }> {
  return sql<{ records: number }>`SELECT count(*) AS records FROM (${combinations(route)}) k
      CROSS JOIN activity INDEXED BY ${sql.raw(route.index)}
    WHERE ${and([...asIn(route.columns), ...conditions(route)])}`.compile(queryBuilder("sqlite"));
}
