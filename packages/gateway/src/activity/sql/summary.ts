import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import type { ActivitySummary, RuleCount, ToolSummary } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import { inTime, matching } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { largestSkew } from "./totals.ts";

/** Most tools, and most rules, that a summary lists. */
const MAX_LISTED = 100;

interface Cell {
  readonly type: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly direction: string | null;
  readonly decision: string | null;
  readonly status: string | null;
  readonly records: number;
  readonly duration_ms: number | null;
}

/** Counts the records of a stretch of time by type, status, decision, tool and rule. */
export async function summaryOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<ActivitySummary> {
  const skew = await largestSkew(db, run);
  const all = queryBuilder(db.dialect).selectFrom("activity");
  const cells = await run<Cell>(
    inTime(matching(all, scope), scope, skew)
      .select(["type", "server", "tool", "direction", "decision", "status"])
      .select((of) => of.fn.countAll<number>().as("records"))
      .select(sql<number | null>`sum(duration_ms)`.as("duration_ms"))
      .groupBy(["type", "server", "tool", "direction", "decision", "status"])
      .compile(),
  );
  const calls = cells.filter(({ type }) => type === "tool_call");
  const tools = [...byTool(calls).values()].sort(
    (a, b) => b.calls - a.calls || compare(a.server, b.server) || compare(a.tool, b.tool),
  );
  const rules = await rulesIn(db, run, scope, skew);
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
    tools: tools.slice(0, MAX_LISTED),
    tools_left_out: Math.max(0, tools.length - MAX_LISTED),
    rules: rules.slice(0, MAX_LISTED),
  };
}

function byTool(calls: readonly Cell[]): ReadonlyMap<string, ToolSummary> {
  const tools = new Map<string, ToolSummary & { total_ms: number }>();
  for (const { server, tool, status, records, duration_ms } of calls) {
    const key = JSON.stringify([server, tool]);
    const known = tools.get(key) ?? { server, tool, ...NONE };
    const at = status !== null && status in known ? (status as keyof typeof NONE) : undefined;
    const total_ms = known.total_ms + (duration_ms ?? 0);
    const total = known.calls + records;
    tools.set(key, {
      ...known,
      ...(at === undefined ? {} : { [at]: known[at] + records }),
      calls: total,
      total_ms,
      mean_ms: Math.round((total_ms / total) * 1000) / 1000,
    });
  }
  return new Map([...tools].map(([key, { total_ms: _, ...tool }]) => [key, tool]));
}

const NONE = {
  calls: 0,
  success: 0,
  error: 0,
  blocked: 0,
  warning: 0,
  rejected: 0,
  mean_ms: 0,
  total_ms: 0,
};

/** How many decisions named each class of issues, per tool and direction. */
async function rulesIn(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skew: number,
): Promise<readonly RuleCount[]> {
  const all = queryBuilder(db.dialect).selectFrom("activity").where("type", "=", "policy_decision");
  const rows = await run<Omit<RuleCount, "rule"> & { readonly rules: string | null }>(
    inTime(matching(all, scope), scope, skew)
      .select(["server", "tool", "direction", "rules"])
      .select((of) => of.fn.countAll<number>().as("records"))
      .groupBy(["server", "tool", "direction", "rules"])
      .compile(),
  );
  const counts = new Map<string, RuleCount>();
  for (const { rules, records, ...where } of rows) {
    for (const rule of rules?.split(",") ?? ["none"]) {
      const key = JSON.stringify([where, rule]);
      const known = counts.get(key)?.records ?? 0;
      counts.set(key, { ...where, rule, records: known + records });
    }
  }
  return [...counts.values()].sort((a, b) => b.records - a.records || compare(a.rule, b.rule));
}

function countBy(cells: readonly Cell[], field: "type" | "status" | "decision") {
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

function compare(a: string | null, b: string | null): number {
  const [left, right] = [a ?? "", b ?? ""];
  return left < right ? -1 : left > right ? 1 : 0;
}
