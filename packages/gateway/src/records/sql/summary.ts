import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import type { ActivitySummary, RuleCount, ToolSummary } from "../store.ts";
import { type ActivitySelect, groups, inOrder, queryBuilder } from "./builder.ts";
import { inTime, matching } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { largestSkew } from "./totals.ts";

/** Most tools, and most rules, that a summary lists. */
const MAX_LISTED = 100;

/** Of this many combinations of tool, direction and rules the rules are told; clients may make tools' names up. */
const MAX_GROUPS = 1_000;

interface Cell {
  readonly type: string;
  readonly decision: string | null;
  readonly status: string | null;
  readonly records: number;
}

/** Counts the records of a stretch of time by type, status, decision, tool and rule. */
export async function summaryOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<ActivitySummary> {
  const skew = await largestSkew(db, run);
  const all = () => {
    const records = queryBuilder(db.dialect).selectFrom("activity");
    return inTime(matching(records, scope, db.dialect), scope, skew);
  };
  const cells = await run<Cell>(
    all()
      .select(["type", "decision", "status"])
      .select((of) => of.fn.countAll<number>().as("records"))
      .groupBy(["type", "decision", "status"])
      .compile(),
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
    ...(await toolsIn(run, all())),
    ...(await rulesIn(run, all())),
  };
}

type ToolRow = Omit<ToolSummary, "mean_ms"> & {
  readonly duration_ms: number | null;
  readonly groups: number;
};

/** Returns what the calls of each tool came to. The database picks those that are told. */
async function toolsIn(
  run: RunQuery,
  all: ActivitySelect<unknown>,
): Promise<Pick<ActivitySummary, "tools" | "tools_left_out">> {
  const ended = (status: string) => sql<number>`count(CASE WHEN status = ${status} THEN 1 END)`;
  const rows = await run<ToolRow>(
    all
      .where("type", "=", "tool_call")
      .select(["server", "tool"])
      .select((of) => of.fn.countAll<number>().as("calls"))
      .select(ended("success").as("success"))
      .select(ended("error").as("error"))
      .select(ended("blocked").as("blocked"))
      .select(ended("warning").as("warning"))
      .select(ended("rejected").as("rejected"))
      .select(sql<number>`count(CASE WHEN decision = 'repaired' THEN 1 END)`.as("repaired"))
      .select(sql<number | null>`sum(duration_ms)`.as("duration_ms"))
      .select(groups)
      .groupBy(["server", "tool"])
      .orderBy("calls", "desc")
      .orderBy(inOrder(["server", "tool"]))
      .limit(MAX_LISTED)
      .compile(),
  );
  const tools = rows.map(({ duration_ms, groups: _, ...tool }) => {
    return { ...tool, mean_ms: Math.round(((duration_ms ?? 0) / tool.calls) * 1000) / 1000 };
  });
  return { tools, tools_left_out: (rows[0]?.groups ?? 0) - rows.length };
}

/** Returns how many decisions named each class of issues, per tool and direction. */
async function rulesIn(
  run: RunQuery,
  all: ActivitySelect<unknown>,
): Promise<Pick<ActivitySummary, "rules" | "rules_left_out">> {
  const places = ["server", "tool", "direction", "rules"] as const;
  type Row = Omit<RuleCount, "rule"> & { readonly rules: string | null; readonly groups: number };
  const rows = await run<Row>(
    all
      .where("type", "=", "policy_decision")
      .select(places)
      .select((of) => of.fn.countAll<number>().as("records"))
      .select(groups)
      .groupBy(places)
      .orderBy("records", "desc")
      .orderBy(inOrder(places))
      .limit(MAX_GROUPS)
      .compile(),
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
