import { type Expression, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { repairHints } from "../repair-text.ts";
import { countRepairs, type RepairGroup } from "../repairs.ts";
import type { RepairReport } from "../response-schemas.ts";
import { groupCount, nullsFirstOrder, queryBuilder } from "./builder.ts";
import { withScope, withTimeRange } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import type { Dialect } from "./tables.ts";
import { largestSkew, totalOf } from "./totals.ts";

/** How many combinations of a tool and its repairs to list, because clients may make up places. */
const MAX_GROUPS = 1_000;

/** Returns which arguments of which tools were repaired, and how often. */
export async function repairsOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<RepairReport> {
  const skew = await largestSkew(db, run);
  const repaired = () => {
    const all = queryBuilder(db.dialect)
      .selectFrom("activity")
      .where("type", "=", "policy_decision")
      .where("decision", "=", "repaired");
    return withTimeRange(withScope(all, scope, db.dialect), scope, skew);
  };
  const calls = sql<number>`count(DISTINCT request_id)`.as("calls");
  const [total] = await run<{ calls: number }>(repaired().select(calls).compile());
  const places = ["server", "tool"] as const;
  const named = namedRepairs(db.dialect);
  const rows = await run<Omit<RepairGroup, "repairs"> & { repairs: string | null; groups: number }>(
    repaired()
      .select(places)
      .select(sql<string | null>`${named}`.as("repairs"))
      .select(calls)
      .select(groupCount)
      .groupBy([...places, named])
      .orderBy("calls", "desc")
      .orderBy(nullsFirstOrder(places))
      .orderBy(named)
      .limit(MAX_GROUPS)
      .compile(),
  );
  const repairs = countRepairs(
    rows.map(({ repairs, ...row }) => ({ ...row, repairs: textIn(repairs) })),
  );
  return {
    since: scope.since?.toISOString() ?? null,
    until: scope.until?.toISOString() ?? null,
    calls: await totalOf(db, run, { ...scope, types: ["tool_call"] }, skew),
    repaired: total?.calls ?? 0,
    repairs,
    repairs_left_out: (rows[0]?.groups ?? 0) - rows.length,
    hints: repairHints(repairs),
  };
}

/** Returns the JSON text of field `repairs`, which does not have a separate column. Damaged text counts as none. */
function namedRepairs(dialect: Dialect): Expression<string | null> {
  return dialect === "sqlite"
    ? sql`CASE WHEN json_valid(extra) THEN extra -> '$.repairs' END`
    : // What a body holds has its quotes escaped.
      sql`substring(extra from '"repairs":("([^"\\\\]|\\\\.)*")')`;
}

function textIn(json: string | null): string {
  const value: unknown = json === null ? "" : JSON.parse(json);
  return typeof value === "string" ? value : "";
}
