import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { queryBuilder } from "./builder.ts";
import {
  inColumns,
  recordConditions,
  type Sql,
  type TalliedColumn,
  talliedConditions,
  timeOfIds,
} from "./conditions.ts";
import type { RunQuery } from "./database.ts";

export type Column = Exclude<TalliedColumn, "tool">;

/**
 * How SQLite finds the records of a filter in the order of their ids, without reading others. An index is in the
 * order of ids if the columns before them are given. The tally supplies the columns that a filter leaves open: it has
 * all combinations of their values, which are few.
 */
export interface Route {
  readonly index:
    | "activity_kind"
    | "activity_tool"
    | "activity_session"
    | "activity_request"
    | "activity_caller";
  /** The columns from the tally. */
  readonly columns: readonly Column[];
  readonly scope: ActivityScope;
  /** The most milliseconds by which an id's time is after its record's time. */
  readonly skewMs: number;
}

const KIND: readonly Column[] = ["type", "direction", "decision", "status", "server"];

/** Undefined if a filter has only a time: records are in the order of their ids. */
export async function routeOf(
  run: RunQuery,
  scope: ActivityScope,
  skewMs: number,
): Promise<Route | undefined> {
  const { types, directions, decisions, statuses, server, tool } = scope;
  const of = { scope, skewMs };
  if (scope.request !== undefined) return { index: "activity_request", columns: [], ...of };
  if (scope.session !== undefined) return { index: "activity_session", columns: [], ...of };
  const byKind: Route = { index: "activity_kind", columns: KIND, ...of };
  const byTool: Route = { index: "activity_tool", columns: ["server"], ...of };
  const hasKind = [types, directions, decisions, statuses].some((values) => values !== undefined);
  const isFiltered = hasKind || server !== undefined || tool !== undefined;
  if (!isFiltered) {
    // The number of a caller's records is unknown, so filters that the tally knows come first.
    const ofCaller: Route = { index: "activity_caller", columns: [], ...of };
    return scope.caller === undefined ? undefined : ofCaller;
  }
  if (tool === undefined) return byKind;
  if (!hasKind) return byTool;
  // Conditions without an index are checked record by record: the fewer the better.
  const [ofKind, ofTool] = [await recordsOn(run, byKind), await recordsOn(run, byTool)];
  return ofKind < ofTool ? byKind : byTool;
}

/** Returns how many records have the values that an index is queried for. */
async function recordsOn(run: RunQuery, { columns, scope, index }: Route): Promise<number> {
  const names = sql.raw(columns.join(", "));
  const tool = index === "activity_tool" ? sql`AND tool = ${scope.tool}` : sql``;
  const query = sql<{ records: number | null }>`
    SELECT sum(records) AS records FROM tally WHERE hour = '' ${tool}
      AND (${names}) IN (SELECT ${names} FROM tally WHERE ${and(tallyConditions(scope))})`;
  const [row] = await run(query.compile(queryBuilder("sqlite")));
  return row?.records ?? 0;
}

/** Absent values are `""` in the tally, as are empty ones. */
export function combinations({ columns, scope }: Route): Sql {
  if (columns.length === 0) return sql`SELECT 1`;
  // A given server is never an absent one, even if its name is empty.
  const server =
    scope.server === undefined ? "iif(server = '', absent, server) AS server" : "server";
  const names = columns.map((column) =>
    sql.raw(column === "server" ? server : `nullif(${column}, '') AS ${column}`),
  );
  return sql`SELECT DISTINCT ${sql.join(names)} FROM tally, (SELECT NULL AS absent UNION ALL SELECT '')
    WHERE ${and(tallyConditions(scope))}`;
}

function tallyConditions(scope: ActivityScope): readonly Sql[] {
  return [sql`hour = ''`, ...inColumns(talliedConditions(scope))];
}

/** Returns a record's conditions besides the given columns. */
export function conditions({ columns, scope, skewMs }: Route): readonly Sql[] {
  return [...recordConditions("sqlite", scope, columns), ...timeOfIds(scope, skewMs)];
}

export function and(parts: readonly Sql[]): Sql {
  return sql.join(parts, sql` AND `);
}
