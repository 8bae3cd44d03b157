import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import type { Direction } from "../record.ts";
import {
  type CheckedCalls,
  COMPARED_OUTCOMES,
  callsWithOtherSettings,
  type ParsedCheckedCalls,
  parseCheckedCalls,
} from "../rollout/checked-calls.ts";
import type { BlockedCalls, PolicyCalls, RolloutEvidence } from "../rollout/readiness.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import { type ActivitySelect, nullsFirstOrder, queryBuilder } from "./builder.ts";
import { timeConditions, withScope, withTimeRange } from "./conditions.ts";
import { ContractTables } from "./contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { tableOf } from "./table-of.ts";
import type { Dialect } from "./tables.ts";

/** How many groups of calls to read, the largest first, because clients may make up names. */
const MAX_GROUPS = 10_000;
/** How many changed schemas to distinguish. If there are more, each change counts for its whole server. */
const MAX_CHANGES = 200;
/** How many servers' lists to read. */
const MAX_SERVERS = 200;

/** A change of a tool's schema: earlier records are about another schema. */
export interface SchemaChange {
  readonly server: string;
  /** `null`: any tool of the server. */
  readonly tool: string | null;
  /** `null`: both schemas. */
  readonly direction: Direction | null;
  /** Id of its record. */
  readonly last: string;
}

/** Returns the last change of each schema in a time range. */
export async function schemaChanges(
  { dialect }: ReadDatabase,
  run: RunQuery,
  { since, until, server, tool }: ActivityScope,
  skew: number,
): Promise<readonly SchemaChange[]> {
  const scope = {
    ...(since && { since }),
    ...(until && { until }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
  };
  const all = () => {
    const changed = queryBuilder(dialect)
      .selectFrom("activity")
      .where("type", "=", "schema_change")
      .where((eb) =>
        eb.or([
          eb("direction", "in", ["input", "output"]),
          eb.and([eb("direction", "is", null), isOfBoth(dialect)]),
        ]),
      )
      .where("server", "is not", null)
      .where("tool", "is not", null);
    return withTimeRange(withScope(changed, scope, dialect), scope, skew);
  };
  const last = sql<string>`max(id)`.as("last");
  const by = ["server", "tool", "direction"] as const;
  const found = await run<SchemaChange>(
    all()
      .select(by)
      .select(last)
      .groupBy(by)
      .limit(MAX_CHANGES + 1)
      .compile(),
  );
  if (found.length <= MAX_CHANGES) return found;
  return run<SchemaChange>(
    all()
      .select("server")
      .select([sql<null>`NULL`.as("tool"), sql<null>`NULL`.as("direction"), last])
      .groupBy("server")
      .orderBy("last", "desc")
      .limit(MAX_CHANGES)
      .compile(),
  );
}

/**
 * Returns the condition that a record was made before the schema of its direction changed.
 * @param direction default: the record's own
 */
export function isBeforeChange(
  changes: readonly SchemaChange[],
  direction?: "input" | "output",
): RawBuilder<SqlBool> {
  const arms = changes
    .filter((one) => direction === undefined || (one.direction ?? direction) === direction)
    .map((change) => {
      const parts = [sql`coalesce(server, '') = ${change.server}`, sql`id < ${change.last}`];
      if (change.tool !== null) parts.push(sql`coalesce(tool, '') = ${change.tool}`);
      if (direction === undefined) {
        parts.push(
          change.direction === null
            ? sql`coalesce(direction, '') IN ('input', 'output')`
            : sql`coalesce(direction, '') = ${change.direction}`,
        );
      }
      return sql`(${sql.join(parts, sql` AND `)})`;
    });
  return arms.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(arms, sql` OR `)})`;
}

/** Field `both_schemas` of a record, which does not have a separate column. */
function isOfBoth(dialect: Dialect): RawBuilder<SqlBool> {
  return dialect === "sqlite"
    ? sql`CASE WHEN json_valid(extra) THEN extra ->> '$.both_schemas' = 1 ELSE 0 END`
    : sql`coalesce(extra, '') LIKE '%"both_schemas":true%'`;
}

/** Field `checks` of a record, which does not have a separate column. Damaged text counts as none. */
function checksOf(dialect: Dialect, table: string): RawBuilder<string | null> {
  const extra = sql.ref(`${table}.extra`);
  return dialect === "sqlite"
    ? sql`CASE WHEN json_valid(${extra}) THEN ${extra} ->> '$.checks' END`
    : // What a body holds has its quotes escaped.
      sql`substring(${extra} from '"checks":"([^"\\\\]*)"')`;
}

/**
 * Returns 1 for calls whose check found something although the records of a time range contain no decision about it:
 * retention removes a decision before its call, and a long call ends in another range. There is also no decision
 * about issues that settings ignore.
 */
function isLost(dialect: Dialect, scope: ActivityScope): RawBuilder<number> {
  const checks = checksOf(dialect, "activity");
  const like = (text: string) => sql`${checks} LIKE ${sql.lit(`% ${text}%`)}`;
  const found = sql.join(["violation", "guard", "budget"].map(like), sql` OR `);
  const ofDecision = [
    sql`decided.request_id = activity.request_id`,
    sql`decided.type = 'policy_decision'`,
    ...timeConditions(scope, "decided"),
  ];
  return sql`CASE WHEN (${found}) AND NOT (${like("less:")} OR ${like("mixed:")})
    AND NOT EXISTS (SELECT 1 FROM activity decided WHERE ${sql.join(ofDecision, sql` AND `)})
    THEN 1 ELSE 0 END`;
}

/** A time range, and what is known about it. */
export interface EvidenceRange {
  readonly scope: ActivityScope;
  readonly skew: number;
  readonly changes: readonly SchemaChange[];
}

/** Reads the facts about checks in the records of calls, and how many more calls there are. */
export async function checkedCalls(
  { dialect }: ReadDatabase,
  run: RunQuery,
  { scope, skew, changes }: EvidenceRange,
): Promise<{ readonly checked: readonly ParsedCheckedCalls[]; readonly left: number }> {
  const build = queryBuilder(dialect);
  const calls = () => {
    const all = build.selectFrom("activity").where("type", "=", "tool_call");
    return withTimeRange(withScope(all, scope, dialect), scope, skew);
  };
  const count = sql<number>`count(*)`.as("calls");
  const now = (direction: "input" | "output"): RawBuilder<number> =>
    sql`CASE WHEN ${isBeforeChange(changes, direction)} THEN 0 ELSE 1 END`;
  const own = calls().select([
    "id",
    "server",
    "tool",
    checksOf(dialect, "activity").as("checks"),
    now("input").as("input_now"),
    now("output").as("output_now"),
    isLost(dialect, scope).as("lost"),
    sql<number>`CASE WHEN coalesce(decision, '') = 'blocked' THEN 0 ELSE 1 END`.as("sent"),
  ]);
  const by = ["server", "tool", "checks", "input_now", "output_now", "lost", "sent"] as const;
  const groups = await run<CheckedCalls>(
    build
      .selectFrom(own.as("own"))
      .select(by)
      .select([count, sql<string>`max(id)`.as("last")])
      .groupBy(by)
      .orderBy("calls", "desc")
      .orderBy(nullsFirstOrder(["server", "tool", "checks"]))
      .limit(MAX_GROUPS)
      .compile(),
  );
  const read = groups.reduce((sum, group) => sum + group.calls, 0);
  const total =
    groups.length < MAX_GROUPS
      ? read
      : ((await run<{ calls: number }>(calls().select(count).compile()))[0]?.calls ?? read);
  return { checked: groups.map(parseCheckedCalls), left: Math.max(0, total - read) };
}

/** The decisions about calls that strict would block, or has blocked. */
export interface BlockingDecisions {
  readonly all: () => ActivitySelect<unknown>;
  /** Whether the current settings would block such a call. */
  readonly isStill: Expression<SqlBool>;
}

/** Adds the evidence in records of decisions and of policy, and in lists. */
export async function addEvidence(
  db: ReadDatabase,
  run: RunQuery,
  {
    scope,
    skew,
    checked,
    decisions,
    settings,
  }: Omit<EvidenceRange, "changes"> & {
    readonly checked: readonly ParsedCheckedCalls[];
    readonly decisions: BlockingDecisions;
    readonly settings: RolloutSettings;
  },
): Promise<RolloutEvidence> {
  const { dialect } = db;
  const build = queryBuilder(dialect);
  const blocked = async (
    by: readonly ("server" | "tool" | "direction")[],
    isSeen: RawBuilder<SqlBool>,
  ): Promise<readonly BlockedCalls[]> => {
    const still = sql`${decisions.isStill} OR NOT ${isSeen}`;
    return run<BlockedCalls>(
      decisions
        .all()
        .where("tool", "is not", null)
        .select(by)
        .select([
          sql<number>`count(DISTINCT request_id)`.as("calls"),
          sql<number>`count(DISTINCT CASE WHEN ${isSeen} THEN NULL ELSE request_id END)`.as("more"),
          sql<number>`count(DISTINCT CASE WHEN ${still} THEN request_id END)`.as("still"),
        ])
        .groupBy(by)
        .orderBy("calls", "desc")
        .orderBy(nullsFirstOrder(by))
        .limit(MAX_GROUPS)
        .compile(),
    );
  };
  const others = callsWithOtherSettings(checked, settings);
  const ownDirection = sql`'%' || activity.direction || ' %'`;
  const inDirection = await blocked(
    ["server", "tool", "direction"],
    sql<SqlBool>`(coalesce(outcome, '') NOT IN ('unknown', 'uncompilable')
      AND ${shows(dialect, [ownDirection], [others.input, others.output], ["input", "output"])})`,
  );
  const compared = [...COMPARED_OUTCOMES].map((outcome) => sql`${sql.lit(`% ${outcome}%`)}`);
  const inAny = await blocked(["server", "tool"], shows(dialect, compared, [others.any]));
  const policy = await run<PolicyCalls>(
    withTimeRange(
      withScope(
        build
          .selectFrom("activity")
          .where("type", "=", "policy_decision")
          .where("decision", "in", ["warning", "repaired"])
          .where("tool", "is not", null)
          .where(sql<SqlBool>`',' || coalesce(rules, '') || ',' LIKE '%,policy,%'`),
        scope,
        dialect,
      ),
      scope,
      skew,
    )
      .select(["server", "tool"])
      .select(sql<number>`count(DISTINCT request_id)`.as("calls"))
      .groupBy(["server", "tool"])
      .orderBy("calls", "desc")
      .limit(MAX_GROUPS)
      .compile(),
  );
  return {
    checked,
    blocked: [...inDirection, ...inAny.map((each) => ({ ...each, direction: null }))],
    policy,
    ...(await listsOf(db, run, scope)),
  };
}

/**
 * Returns the condition that the call of a decision has one of these values of `checks`, and is not in another list.
 * @param directions the direction of the decision, for each of the other lists; default: any
 */
function shows(
  dialect: Dialect,
  patterns: readonly RawBuilder<unknown>[],
  others: readonly (readonly CheckedCalls[])[],
  directions?: readonly Direction[],
): RawBuilder<SqlBool> {
  const checks = checksOf(dialect, "own");
  const arms = patterns.map((pattern) => sql`${checks} LIKE ${pattern}`);
  const own = sql`(coalesce(own.server, ''), coalesce(own.tool, ''), coalesce(${checks}, ''))`;
  const not = others.flatMap((calls, at) => {
    if (calls.length === 0) return [];
    const rows = calls.map(({ server, tool, checks: text }) => [
      ...[server ?? "", tool ?? "", text ?? ""],
    ]);
    const of = directions === undefined ? sql`` : sql`activity.direction = ${directions[at]} AND`;
    return [sql` AND NOT (${of} ${own} IN ${tableOf(dialect, rows)})`];
  });
  return sql`EXISTS (SELECT 1 FROM activity own WHERE own.request_id = activity.request_id
    AND own.type = 'tool_call' AND (${sql.join(arms, sql` OR `)})${not.length === 0 ? sql`` : sql.join(not, sql``)})`;
}

/** Returns the tools in the kept lists of servers. A user who may read records may lack the right to read lists. */
async function listsOf(
  { dialect }: ReadDatabase,
  run: RunQuery,
  { since: _, until: __, server, tool, ...others }: ActivityScope,
): Promise<Pick<RolloutEvidence, "listed" | "addsListed">> {
  const listed = new Map<string, ReadonlySet<string>>();
  const build = queryBuilder(dialect);
  if (dialect === "postgres") {
    const [may] = await run(
      sql<{ may: number }>`SELECT CASE WHEN has_table_privilege('list_tools', 'SELECT')
        AND has_table_privilege('list_scopes', 'SELECT') THEN 1 ELSE 0 END AS may`.compile(build),
    );
    if (may?.may !== 1) return { listed, addsListed: false };
  }
  let kept = build.selectFrom("list_scopes").select("server").distinct().orderBy("server");
  if (server !== undefined) kept = kept.where("server", "=", server);
  const tables = new ContractTables(dialect);
  for (const each of await run(kept.limit(MAX_SERVERS).compile())) {
    listed.set(each.server, await tables.toolNames(run, each.server));
  }
  const isFiltered = Object.values(others).some((value) => value !== undefined);
  return { listed, addsListed: !isFiltered && tool === undefined };
}
