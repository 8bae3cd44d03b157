import { type Expression, type SqlBool, sql } from "kysely";
import { type Excuse, type Excuses, excusedIn } from "../../policy/excuses.ts";
import { NOTED } from "../../policy/noted.ts";
import type { ActivityScope } from "../filter.ts";
import type { Rollout, RolloutOffence } from "../store.ts";
import { groups, inOrder, queryBuilder } from "./builder.ts";
import { inTime, matching } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { largestSkew, totalOf } from "./totals.ts";

/** Of so many combinations of a tool and what it was let pass with the offences are told; clients may make names up. */
const MAX_GROUPS = 1_000;

/** A database takes no query of any length; a tool beyond these goes by what is excused of its server. */
const MAX_EXCUSES = 4_000;

type Row = Omit<RolloutOffence, "rule"> & { readonly rules: string | null };

/**
 * Returns what strict would have blocked among what was let pass with a warning: records of mode `warn`, less those of
 * faults that block nothing in any mode and those of classes that are excused. Those that `strict` itself let pass
 * with a warning were excused then.
 */
export async function rolloutOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  excuses: Excuses,
): Promise<Rollout> {
  const skew = await largestSkew(db, run);
  const decided = (decision: "warning" | "repaired") => {
    const all = queryBuilder(db.dialect)
      .selectFrom("activity")
      .where("type", "=", "policy_decision")
      .where("decision", "=", decision);
    return inTime(matching(all, scope, db.dialect), scope, skew);
  };
  const warnings = () =>
    decided("warning")
      .where("mode", "=", "warn")
      .where((eb) => eb.not(eb(eb.fn.coalesce("reason", eb.val("")), "like", `${NOTED}%`)))
      .where((eb) => eb.not(isExcused(excuses)));
  const requests = sql<number>`count(DISTINCT request_id)`;
  const places = ["server", "tool", "direction", "outcome", "rules"] as const;
  const [blocked] = await run<{ calls: number }>(
    warnings().where("tool", "is not", null).select(requests.as("calls")).compile(),
  );
  const [repaired] = await run<{ calls: number }>(
    decided("repaired").select(requests.as("calls")).compile(),
  );
  const grouped = (calls: "is" | "is not") =>
    run<Row & { readonly groups: number }>(
      warnings()
        .where("tool", calls, null)
        .select(places)
        .select(requests.as("calls"))
        .select(groups)
        .groupBy(places)
        .orderBy("calls", "desc")
        .orderBy(inOrder(places))
        .limit(MAX_GROUPS)
        .compile(),
    );
  const others = await grouped("is");
  const ofCalls = await grouped("is not");
  const total = await totalOf(db, run, { ...scope, types: ["tool_call"] }, skew);
  return {
    since: scope.since?.toISOString() ?? null,
    until: scope.until?.toISOString() ?? null,
    calls: total,
    would_block: blocked?.calls ?? 0,
    repaired: repaired?.calls ?? 0,
    other_messages: others.reduce((sum, { calls }) => sum + calls, 0),
    offences: offences([...ofCalls, ...others], excuses),
    offences_left_out: (ofCalls[0]?.groups ?? 0) - ofCalls.length,
  };
}

/** One entry for each class of issues that is not excused; a call that broke several rules is in each of theirs. */
function offences(rows: readonly Row[], excuses: Excuses): readonly RolloutOffence[] {
  const found = new Map<string, RolloutOffence>();
  for (const { server, tool, direction, outcome, rules, calls } of rows) {
    const where = { server, tool, direction, outcome };
    const excused = excusedIn(excuses, where);
    for (const rule of rules?.split(",") ?? [null]) {
      if (rule !== null && excused.includes(rule)) continue;
      const key = JSON.stringify([where, rule]);
      found.set(key, { ...where, rule, calls: (found.get(key)?.calls ?? 0) + calls });
    }
  }
  const name = (offence: RolloutOffence): string =>
    [offence.server, offence.tool, offence.direction, offence.rule].join("/");
  return [...found.values()].sort((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
}

/** Returns whether a record's classes of issues, of which there are some, are all excused. */
function isExcused(excuses: Excuses): Expression<SqlBool> {
  if (excuses.length === 0) return sql<SqlBool>`1 = 0`;
  const arms = bounded(excuses).map(
    (excuse) => sql`WHEN ${isAbout(excuse)} THEN ${hasOnly(excuse)}`,
  );
  return sql<SqlBool>`CASE ${sql.join(arms, sql` `)} ELSE 1 = 0 END`;
}

function bounded(excuses: Excuses): Excuses {
  if (excuses.length <= MAX_EXCUSES) return excuses;
  const wide = excuses.filter(({ tool }) => tool === undefined);
  const tools = excuses.filter(({ tool }) => tool !== undefined);
  return [...tools.slice(0, Math.max(0, MAX_EXCUSES - wide.length)), ...wide];
}

function isAbout({ direction, server, tool }: Excuse) {
  const parts = [sql`direction = ${sql.lit(direction)}`];
  if (server !== undefined) parts.push(sql`server = ${server}`);
  if (tool !== undefined) parts.push(sql`tool = ${tool}`);
  return sql.join(parts, sql` AND `);
}

/** Takes the excused classes out of the list: nothing is left of one that holds no others. */
function hasOnly({ rules }: Excuse) {
  const list = sql`',' || replace(coalesce(rules, '-'), ',', ',,') || ','`;
  const left = rules.reduce(
    (rest, rule) => sql`replace(${rest}, ${sql.lit(`,${rule},`)}, '')`,
    list,
  );
  return sql`(${left}) = ''`;
}
