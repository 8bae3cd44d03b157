import { sql } from "kysely";
import type { ActivitySummary, RuleCount, ToolSummary } from "../api/schemas.ts";
import type { ActivityScope } from "../filter.ts";
import { REFUSED } from "../record.ts";
import { groups, inOrder, queryBuilder } from "./builder.ts";
import type { Sql } from "./conditions.ts";
import { countedIn, recordsIf } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { largestSkew } from "./totals.ts";

/** Most tools, and most rules, that a summary lists. */
const MAX_LISTED = 100;

/** How many combinations of tool, direction and rules to report rules for; clients may make tools' names up. */
const MAX_GROUPS = 1_000;

interface Cell {
  readonly type: string;
  readonly decision: string | null;
  readonly status: string | null;
  readonly records: number;
}

const STATUSES = ["success", "error", "blocked", "warning", ...REFUSED] as const;
const PLACES = ["server", "tool", "direction", "rules"] as const;

/** Counts the records of a stretch of time by type, status, decision, tool and rule. */
export async function summaryOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<ActivitySummary> {
  const counted = await countedIn(db, run, scope, await largestSkew(db, run));
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
    ...(await toolsIn(db, run, counted)),
    ...(await rulesIn(db, run, counted)),
  };
}

type ToolRow = Omit<ToolSummary, "mean_ms"> & {
  readonly duration_ms: number | null;
  readonly groups: number;
};

/** Returns the totals of each tool. The database picks the reported ones. */
async function toolsIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  counted: Sql,
): Promise<Pick<ActivitySummary, "tools" | "tools_left_out">> {
  const ended = STATUSES.map(
    (status) => sql`${recordsIf(sql`status = ${status}`)} AS ${sql.ref(status)}`,
  );
  const rows = await run(
    sql<ToolRow>`SELECT server, tool, sum(records) AS calls, ${sql.join(ended)},
        ${recordsIf(sql`decision = 'repaired'`)} AS repaired, sum(duration_ms) AS duration_ms, ${groups}
      FROM ${counted} WHERE type = 'tool_call' GROUP BY server, tool
      ORDER BY calls DESC, ${inOrder(["server", "tool"])} LIMIT ${sql.lit(MAX_LISTED)}`.compile(
      queryBuilder(dialect),
    ),
  );
  const tools = rows.map(({ duration_ms, groups: _, ...tool }) => {
    return { ...tool, mean_ms: Math.round(((duration_ms ?? 0) / tool.calls) * 1000) / 1000 };
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
    sql<Row>`SELECT ${places}, sum(records) AS records, ${groups}
      FROM ${counted} WHERE type = 'policy_decision' GROUP BY ${places}
      ORDER BY records DESC, ${inOrder(PLACES)} LIMIT ${sql.lit(MAX_GROUPS)}`.compile(
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
