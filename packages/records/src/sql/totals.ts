import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { queryBuilder } from "./builder.ts";
import {
  hasTalliedColumns,
  inColumns,
  talliedConditions,
  withScope,
  withTimeRange,
} from "./conditions.ts";
import { hourlyCounts } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { ceilHour, floorHour, hourOf } from "./hours.ts";
import { type IndexScan, planIndexScan } from "./index-scan.ts";
import { scanCount } from "./pages.ts";
import type { Tables } from "./tables.ts";

/** Returns the most milliseconds by which an id's time is after its record's time. */
export async function largestSkew(db: ReadDatabase, run: RunQuery): Promise<number> {
  const query = queryBuilder(db.dialect)
    .selectFrom("chains")
    .select((of) => of.fn.max<number | null>("skew_ms").as("skew"))
    .compile();
  const [row] = await run<{ skew: number | null }>(query);
  return row?.skew ?? 0;
}

/**
 * Counts the records that meet a filter. For whole hours, the counts of SQLite's table `tally` and of PostgreSQL's
 * rollup are used; only partial hours, and filters by columns that these tables lack, are counted record by record.
 */
export async function totalOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skewMs: number,
): Promise<number> {
  const { since, until } = scope;
  const route = async (): Promise<IndexScan | undefined> =>
    db.dialect === "sqlite" ? planIndexScan(run, scope, skewMs) : undefined;
  if (db.dialect === "postgres" && hasTalliedColumns(scope)) {
    const of = sql<{ records: number | null }>`SELECT sum(records) AS records
      FROM ${await hourlyCounts(db, run, scope, skewMs)}`;
    return (await run(of.compile(queryBuilder(db.dialect))))[0]?.records ?? 0;
  }
  if (!hasTalliedColumns(scope)) {
    return counted(db, run, scope, skewMs, await route());
  }
  const from = since && ceilHour(since);
  const to = until && floorHour(until);
  if (from !== undefined && to !== undefined && from >= to) {
    return counted(db, run, scope, skewMs, await route());
  }
  // For a time range without a start, it is usually faster to subtract the records after its end.
  const hours =
    from === undefined && to !== undefined
      ? (await tallyCount(run, scope)) - (await tallyCount(run, scope, to))
      : await tallyCount(run, scope, from, to);
  const edges: ActivityScope[] = [];
  if (since !== undefined && from !== undefined && since < from) {
    edges.push({ ...scope, since, until: from });
  }
  if (until !== undefined && to !== undefined && to < until) {
    edges.push({ ...scope, since: to, until });
  }
  if (edges.length === 0) return hours;
  // The choice of the shortest route does not depend on times.
  const way = await route();
  let total = hours;
  for (const edge of edges) {
    total += await counted(db, run, edge, skewMs, way && { ...way, scope: edge });
  }
  return total;
}

async function counted(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skewMs: number,
  route: IndexScan | undefined,
): Promise<number> {
  if (route !== undefined) return (await run(scanCount(route)))[0]?.records ?? 0;
  const all = queryBuilder(db.dialect)
    .selectFrom("activity")
    .select((of) => of.fn.countAll<number>().as("records"));
  const query = withTimeRange(withScope(all, scope, db.dialect), scope, skewMs).compile();
  const [row] = await run<{ records: number }>(query);
  return row?.records ?? 0;
}

/** Returns the number of records in SQLite's tally, for whole hours if times are given. */
export async function tallyCount(
  run: RunQuery,
  scope: ActivityScope,
  from?: Date,
  to?: Date,
): Promise<number> {
  const all = queryBuilder("sqlite")
    .selectFrom("tally")
    .select((of) => of.fn.sum<number | null>("records").as("records"));
  const query = matchingTally(all, scope, from, to).compile();
  const [row] = await run<{ records: number | null }>(query);
  return row?.records ?? 0;
}

type TallySelect<Output> = SelectQueryBuilder<Tables, "tally", Output>;

/** Selects whole hours from that of `from` to before that of `to`; all times if there is no `from`. */
function matchingTally<Output>(
  all: TallySelect<Output>,
  scope: ActivityScope,
  from: Date | undefined,
  to: Date | undefined,
): TallySelect<Output> {
  let query = all;
  if (from === undefined) query = query.where("hour", "=", "");
  else query = query.where("hour", ">=", hourOf(from));
  if (to !== undefined) query = query.where("hour", "<", hourOf(to));
  return inColumns(talliedConditions(scope)).reduce<TallySelect<Output>>(
    (all, condition) => all.where(condition as RawBuilder<SqlBool>),
    query,
  );
}
