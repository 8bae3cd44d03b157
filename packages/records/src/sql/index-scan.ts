import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { queryBuilder } from "./builder.ts";
import {
  type TalliedColumn as Column,
  idTimeConditions,
  inColumns,
  recordConditions,
  type Sql,
  talliedConditions,
} from "./conditions.ts";
import type { RunQuery } from "./database.ts";

export type { TalliedColumn as Column } from "./conditions.ts";

/**
 * How SQLite finds the records of a filter in the order of their ids, without reading other records. An index is in
 * the order of ids if the values of all columns before the id are given. For columns without a given value, the tally
 * supplies all existing combinations, which are few.
 */
export interface IndexScan {
  readonly index:
    | "activity_kind"
    | "activity_tool"
    | "activity_session"
    | "activity_request"
    | "activity_caller";
  /** The columns whose values come from the tally. */
  readonly columns: readonly Column[];
  readonly scope: ActivityScope;
  /** The most milliseconds by which an id's time is after its record's time. */
  readonly skewMs: number;
}

const KIND: readonly Column[] = ["type", "direction", "decision", "status", "server"];

/** Undefined if a filter has only a time range: records are already in the order of their ids. */
export async function planIndexScan(
  run: RunQuery,
  scope: ActivityScope,
  skewMs: number,
): Promise<IndexScan | undefined> {
  const of = { scope, skewMs };
  if (scope.request !== undefined) return { index: "activity_request", columns: [], ...of };
  if (scope.session !== undefined) return { index: "activity_session", columns: [], ...of };
  const tallied = [...talliedConditions(scope)];
  // The index has no records without a tool, so it cannot be used to exclude a tool.
  const tools = tallied.filter(({ column, isExcluded }) => column === "tool" && !isExcluded);
  const byKind: IndexScan = { index: "activity_kind", columns: KIND, ...of };
  const isOneTool = scope.tool !== undefined;
  const byTool: IndexScan = {
    index: "activity_tool",
    columns: isOneTool ? ["server"] : ["tool", "server"],
    ...of,
  };
  const hasKind = tallied.some(({ column }) => column !== "server" && column !== "tool");
  if (tallied.length === 0) {
    // The number of a caller's records is unknown, so filters whose counts the tally has come first.
    const ofCaller: IndexScan = { index: "activity_caller", columns: [], ...of };
    return scope.caller === undefined ? undefined : ofCaller;
  }
  if (tools.length === 0) return byKind;
  if (!hasKind) return byTool;
  // Conditions without an index are checked record by record: the fewer the better.
  const [ofKind, ofTool] = [await recordsOn(run, byKind), await recordsOn(run, byTool)];
  return ofKind < ofTool ? byKind : byTool;
}

/** Returns how many records have the values that an index is queried for. */
async function recordsOn(run: RunQuery, { columns, scope, index }: IndexScan): Promise<number> {
  const names = sql.raw(columns.join(", "));
  const tool =
    index === "activity_tool" && scope.tool !== undefined ? sql`AND tool = ${scope.tool}` : sql``;
  const query = sql<{ records: number | null }>`
    SELECT sum(records) AS records FROM tally WHERE hour = '' ${tool}
      AND (${names}) IN (SELECT ${names} FROM tally WHERE ${andConditions(tallyConditions(scope))})`;
  const [row] = await run(query.compile(queryBuilder("sqlite")));
  return row?.records ?? 0;
}

/** Absent and empty values are both `""` in the tally. */
export function columnCombinations({ columns, scope }: IndexScan): Sql {
  if (columns.length === 0) return sql`SELECT 1`;
  // If a server is given, it is not an absent one, even if its name is empty.
  const server =
    scope.server === undefined ? "iif(server = '', absent, server) AS server" : "server";
  const names = columns.map((column) =>
    sql.raw(column === "server" ? server : `nullif(${column}, '') AS ${column}`),
  );
  return sql`SELECT DISTINCT ${sql.join(names)} FROM tally, (SELECT NULL AS absent UNION ALL SELECT '')
    WHERE ${andConditions(tallyConditions(scope))}`;
}

function tallyConditions(scope: ActivityScope): readonly Sql[] {
  return [sql`hour = ''`, ...inColumns(talliedConditions(scope))];
}

/** Returns a filter's conditions on records besides the given columns. */
export function remainingConditions({ columns, scope, skewMs }: IndexScan): readonly Sql[] {
  return [...recordConditions("sqlite", scope, columns), ...idTimeConditions(scope, skewMs)];
}

export function andConditions(parts: readonly Sql[]): Sql {
  return sql.join(parts, sql` AND `);
}
