import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { REFUSED_STATUSES } from "../record.ts";
import type { ActivitySummary, RuleCount, ServerTotals, ToolSummary } from "../response-schemas.ts";
import { groupCount, nullsFirstOrder, queryBuilder } from "./builder.ts";
import type { Sql } from "./conditions.ts";
import { hourlyCounts, sumRecordsIf } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { addDurations, type Durations, percentilesOf } from "./durations.ts";
import { joinedTextSql } from "./rollup.ts";
import { largestSkew } from "./totals.ts";

/** Most servers, and most rules, that a summary lists. */
const MAX_LISTED = 100;
/** Most tools that a summary lists. */
const MAX_TOOLS = 500;

/**
 * For how many combinations of tool, direction and rules to report rules, because clients may make up names of tools.
 */
const MAX_GROUPS = 1_000;

interface Cell {
  readonly type: string;
  readonly decision: string | null;
  readonly status: string | null;
  readonly records: number;
}

const STATUSES = ["success", "error", "blocked", "warning", ...REFUSED_STATUSES] as const;
const PLACES = ["server", "tool", "direction", "rules"] as const;

/** Counts the records of a time range by type, status, decision, tool and rule. */
export async function summaryOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<ActivitySummary> {
  const counted = await hourlyCounts(db, run, scope, await largestSkew(db, run));
  const cells = await run(
    sql<Cell>`SELECT type, decision, status, sum(records) AS records FROM ${counted}
      GROUP BY type, decision, status`.compile(queryBuilder(db.dialect)),
  );
  const calls = cells.filter(({ type }) => type === "tool_call");
  return {
    since: scope.since?.toISOString() ?? null,
    until: scope.until?.toISOString() ?? null,
    records: sum(cells),
    types: countBy(cells, "type"),
    calls: { total: sum(calls), ...countBy(calls, "status") },
    decisions: countBy(
      cells.filter(({ type }) => type === "policy_decision"),
      "decision",
    ),
    ...(await serversIn(db, run, counted)),
    ...(await toolsIn(db, run, counted)),
    ...(await rulesIn(db, run, counted)),
  };
}

const ENDED = STATUSES.map(
  (status) => sql`${sumRecordsIf(sql`status = ${status}`)} AS ${sql.ref(status)}`,
);

const meanOf = (sumMs: number | null, calls: number): number =>
  Math.round(((sumMs ?? 0) / calls) * 1000) / 1000;

type ServerRow = Omit<ServerTotals, "mean_ms" | "p95_ms"> & {
  readonly duration_ms: number | null;
  readonly durations: string | null;
  readonly groups: number;
};

/** Returns the totals of each server. */
async function serversIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  counted: Sql,
): Promise<Pick<ActivitySummary, "servers" | "servers_left_out">> {
  const durations = sql.raw(joinedTextSql(dialect, "durations"));
  const rows = await run(
    sql<ServerRow>`SELECT server, sum(records) AS calls, ${sql.join(ENDED)},
        sum(duration_ms) AS duration_ms, ${durations} AS durations, ${groupCount}
      FROM ${counted} WHERE type = 'tool_call' GROUP BY server
      ORDER BY calls DESC, ${nullsFirstOrder(["server"])} LIMIT ${sql.lit(MAX_LISTED)}`.compile(
      queryBuilder(dialect),
    ),
  );
  const servers = rows.map(({ duration_ms, durations: text, groups: _, ...server }) => {
    const all: Durations = new Map();
    addDurations(all, text);
    const { p95_ms } = percentilesOf(all);
    return { ...server, mean_ms: meanOf(duration_ms, server.calls), p95_ms };
  });
  return { servers, servers_left_out: (rows[0]?.groups ?? 0) - rows.length };
}

type ToolRow = Omit<ToolSummary, "mean_ms"> & {
  readonly duration_ms: number | null;
  readonly groups: number;
};

/** Returns the totals of each tool. The database selects the reported ones. */
async function toolsIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  counted: Sql,
): Promise<Pick<ActivitySummary, "tools" | "tools_left_out">> {
  const rows = await run(
    sql<ToolRow>`SELECT server, tool, sum(records) AS calls, ${sql.join(ENDED)},
        ${sumRecordsIf(sql`decision = 'repaired'`)} AS repaired, sum(duration_ms) AS duration_ms, ${groupCount}
      FROM ${counted} WHERE type = 'tool_call' GROUP BY server, tool
      ORDER BY calls DESC, ${nullsFirstOrder(["server", "tool"])} LIMIT ${sql.lit(MAX_TOOLS)}`.compile(
      queryBuilder(dialect),
    ),
  );
  const tools = rows.map(({ duration_ms, groups: _, ...tool }) => {
    return { ...tool, mean_ms: meanOf(duration_ms, tool.calls) };
  });
  return { tools, tools_left_out: (rows[0]?.groups ?? 0) - rows.length };
}

/** Returns how many decisions named each class of issues, per tool and direction. */
async function rulesIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  counted: Sql,
): Promise<Pick<ActivitySummary, "rules" | "rules_left_out">> {
  type Row = Omit<RuleCount, "rule"> & { readonly rules: string | null; readonly groups: number };
  const places = sql.raw(PLACES.join(", "));
  const rows = await run(
    sql<Row>`SELECT ${places}, sum(records) AS records, ${groupCount}
      FROM ${counted} WHERE type = 'policy_decision' GROUP BY ${places}
      ORDER BY records DESC, ${nullsFirstOrder(PLACES)} LIMIT ${sql.lit(MAX_GROUPS)}`.compile(
      queryBuilder(dialect),
    ),
  );
  const counts = new Map<string, RuleCount>();
  for (const { rules, records, groups: _, ...where } of rows) {
    for (const rule of rules?.split(",") ?? ["none"]) {
      const key = JSON.stringify([where, rule]);
      const known = counts.get(key)?.records ?? 0;
      counts.set(key, { ...where, rule, records: known + records });
    }
  }
  const found = [...counts.values()].sort(
    (a, b) => b.records - a.records || compare(a.rule, b.rule),
  );
  const rules = found.slice(0, MAX_LISTED);
  const unread = (rows[0]?.groups ?? 0) - rows.length;
  return { rules, rules_left_out: found.length - rules.length + unread };
}

function countBy(cells: readonly Cell[], field: keyof Omit<Cell, "records">) {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const name = cell[field];
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + cell.records);
  }
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || compare(a, b)));
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((total, { records }) => total + records, 0);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
