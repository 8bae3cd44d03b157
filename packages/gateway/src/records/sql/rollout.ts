import { type Expression, type SqlBool, sql } from "kysely";
import { type Excuse, type Excuses, excusedIn, excuseOf } from "../../policy/excuses.ts";
import { NOTED } from "../../policy/noted.ts";
import {
  countedIssues,
  isUndeclared,
  letsPass,
  narrowestPlace,
  type RecordedIssue,
} from "../../policy/places.ts";
import { NO_SETTINGS, type RolloutSettings } from "../../policy/rollout-settings.ts";
import type { Rollout, RolloutOffence } from "../api/schemas.ts";
import type { ActivityScope } from "../filter.ts";
import { readinessOf } from "../readiness.ts";
import { type ActivitySelect, groups, inOrder, queryBuilder } from "./builder.ts";
import { inTime, matching } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { evidenceOf, isBefore, schemaChanges } from "./rollout-evidence.ts";
import { tableOf } from "./table-of.ts";
import type { Dialect } from "./tables.ts";
import { largestSkew } from "./totals.ts";

/** How many combinations of a tool and its warnings to report offenses for; clients may make names up. */
const MAX_GROUPS = 1_000;

/** How many tools to report; clients may make names up. */
const MAX_TOOLS = 1_000;

/** How many different sets of excused classes to tell apart. For tools with others, the excuses of their server apply. */
const MAX_SETS = 500;

type Row = Omit<RolloutOffence, "rule" | "places"> & { readonly rules: string | null };

/** How many lists of issues to read, the most frequent first, and the longest list, in characters. */
const MAX_LISTS = 1_000;
const MAX_LIST = 8_192;

/** Records with the same list of issues. */
type ListRow = Row & { readonly issues: string; readonly cut: number; readonly records: number };

/** How many places of one class of a tool's issues to suggest one by one. */
const MAX_PLACES = 20;

/**
 * Returns what strict would block, or did, among recorded calls: decisions of `warn` and blocks of `strict`, without
 * faults that no mode blocks, without classes that the settings excuse, and without issues of policy, which has modes
 * of its own. Calls of before a change of their tool's schema are not evidence for the schema of now.
 */
export async function rolloutOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  settings: RolloutSettings | undefined,
): Promise<Rollout> {
  const { excuses } = settings ?? NO_SETTINGS;
  const isKnown = settings !== undefined;
  const skew = await largestSkew(db, run);
  const changes = await schemaChanges(db, run, scope, skew);
  const decided = (decision: "warning" | "repaired") => {
    const all = queryBuilder(db.dialect)
      .selectFrom("activity")
      .where("type", "=", "policy_decision")
      .where("decision", "=", decision);
    return inTime(matching(all, scope, db.dialect), scope, skew);
  };
  const allWarnings = () =>
    inTime(
      matching(strictBlocks(db.dialect, excuses, isKnown), scope, db.dialect),
      scope,
      skew,
    ).where((eb) => eb.not(isBefore(changes)));
  const requests = sql<number>`count(DISTINCT request_id)`;
  const places = ["server", "tool", "direction", "outcome", "rules"] as const;
  const cut = sql<number>`CASE WHEN coalesce(truncated, 0) > 0 THEN 1 ELSE 0 END`;
  const records = sql<number>`count(*)`;
  const lists = await run<ListRow>(
    allWarnings()
      .where("tool", "is not", null)
      .where(sql<SqlBool>`length(issues) <= ${sql.lit(MAX_LIST)}`)
      .select([...places, "issues"])
      .select([cut.as("cut"), records.as("records"), requests.as("calls")])
      .groupBy([...places, "issues"])
      .groupBy(cut)
      .orderBy("records", "desc")
      .orderBy(inOrder([...places, "issues"]))
      .limit(MAX_LISTS)
      .compile(),
  );
  const passing = lists.filter((list) => isLetPass(list, excuses));
  const warnings = () =>
    passing.length === 0
      ? allWarnings()
      : allWarnings().where((eb) => eb.not(isAmong(db.dialect, passing)));
  const [repaired] = await run<{ calls: number }>(
    decided("repaired").select(requests.as("calls")).compile(),
  );
  const grouped = (calls: "is" | "is not") =>
    run<Row & { readonly groups: number; readonly records: number }>(
      warnings()
        .where("tool", calls, null)
        .select(places)
        .select([requests.as("calls"), records.as("records")])
        .select(groups)
        .groupBy(places)
        .orderBy("calls", "desc")
        .orderBy(inOrder(places))
        .limit(MAX_GROUPS)
        .compile(),
    );
  const others = await grouped("is");
  const ofCalls = await grouped("is not");
  const { evidence, left } = await evidenceOf(db, run, {
    ...{ scope, skew, changes },
    warnings: ofCalls.length === 0 ? undefined : warnings,
    settings: settings ?? NO_SETTINGS,
  });
  const { totals, tools, toolsLeftOut } = readinessOf(evidence, settings ?? NO_SETTINGS, MAX_TOOLS);
  return {
    since: scope.since?.toISOString() ?? null,
    until: scope.until?.toISOString() ?? null,
    ...totals,
    calls: totals.calls + left,
    not_checked: totals.not_checked + left,
    repaired: repaired?.calls ?? 0,
    other_messages: others.reduce((sum, { calls }) => sum + calls, 0),
    offences: offences([...ofCalls, ...others], excuses, placesIn(lists, passing)),
    offences_left_out: (ofCalls[0]?.groups ?? 0) - ofCalls.length,
    tools,
    tools_left_out: toolsLeftOut,
  };
}

/**
 * The decisions that strict blocks, those of `strict` among them, places that are excused aside.
 * @param isKnown whether the settings are known. If not, what strict forwarded with a warning counts as excused
 */
function strictBlocks(
  dialect: Dialect,
  excuses: Excuses,
  isKnown: boolean,
): ActivitySelect<unknown> {
  const warned = sql.raw(isKnown ? "mode IN ('warn', 'strict')" : "mode = 'warn'");
  const all = queryBuilder(dialect)
    .selectFrom("activity")
    .where("type", "=", "policy_decision")
    .where(
      sql<SqlBool>`((decision = 'warning' AND ${warned}) OR (decision = 'blocked' AND mode = 'strict'
        AND tool IS NOT NULL AND NOT (direction = 'protocol' AND coalesce(outcome, '') = 'guard')))`,
    );
  return withoutExcused(dialect, all, excuses);
}

/**
 * The warnings that strict would have made a block of, places that are excused aside. SQLite finds them by time, without a
 * look at the decisions of all times.
 */
export function wouldBlock(dialect: Dialect, excuses: Excuses): ActivitySelect<unknown> {
  // A plus keeps a column from its index (https://www.sqlite.org/optoverview.html).
  const type = sql<string>`${sql.raw(dialect === "sqlite" ? "+type" : "type")}`;
  const all = queryBuilder(dialect)
    .selectFrom("activity")
    .where(type, "=", "policy_decision")
    .where("decision", "=", "warning")
    .where("mode", "=", "warn");
  return withoutExcused(dialect, all, excuses);
}

function withoutExcused(
  dialect: Dialect,
  all: ActivitySelect<unknown>,
  excuses: Excuses,
): ActivitySelect<unknown> {
  return all
    .where((eb) => eb.not(eb(eb.fn.coalesce("reason", eb.val("")), "like", `${NOTED}%`)))
    .where((eb) => eb.not(isExcused(dialect, excuses)));
}

/** One entry for each class of issues that is not excused. A call that broke several rules is in each entry. */
function offences(
  rows: readonly (Row & { readonly records: number })[],
  excuses: Excuses,
  known: ReadonlyMap<string, KnownPlaces>,
): readonly RolloutOffence[] {
  const found = new Map<string, RolloutOffence>();
  // If one issue of a class has no known place, the places of the others do not help.
  const unknown = new Set<string>();
  for (const row of rows) {
    const { server, tool, direction, outcome, rules, calls, records } = row;
    const where = { server, tool, direction, outcome };
    const excused = [...excusedIn(excuses, where), POLICY];
    const own = known.get(groupOf(row));
    for (const rule of rules?.split(",") ?? [null]) {
      if (rule !== null && excused.includes(rule)) continue;
      const key = JSON.stringify([where, rule]);
      const before = found.get(key);
      const issues = own?.records === records ? own.issues.get(rule ?? "") : undefined;
      if (issues?.places === undefined) unknown.add(key);
      const all = [...new Set([...(before?.places ?? []), ...(issues?.places ?? [])])].sort();
      if (all.length > MAX_PLACES) unknown.add(key);
      const places = unknown.has(key) ? [] : all;
      const undeclared = together(before, issues?.undeclared);
      const sum = (before?.calls ?? 0) + calls;
      found.set(key, { ...where, rule, places, ...(undeclared && { undeclared }), calls: sum });
    }
  }
  const name = (offence: RolloutOffence): string =>
    [offence.server, offence.tool, offence.direction, offence.rule].join("/");
  return [...found.values()].sort((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
}

type Share = RolloutOffence["undeclared"];

/** Which issues are undeclared arguments of what was found before, if something was, and of more. */
function together(before: { readonly undeclared?: Share } | undefined, more: Share): Share {
  if (before === undefined || before.undeclared === more) return more;
  return "some";
}

/** What is known of the issues of one class. */
interface KnownIssues {
  /** Those of undeclared arguments aside; undefined if one of the others has no place. */
  readonly places: readonly string[] | undefined;
  readonly undeclared?: Share;
}

/** The issues of records that have the same classes. */
interface KnownPlaces {
  /** How many records these are. */
  records: number;
  /** By class. */
  readonly issues: Map<string, KnownIssues>;
}

function groupOf({ server, tool, direction, outcome, rules }: Row): string {
  return JSON.stringify([server, tool, direction, outcome, rules]);
}

/** Returns the issues of a complete list; undefined if it is incomplete or damaged. */
function issuesIn({ issues, cut }: ListRow): readonly RecordedIssue[] | undefined {
  if (cut !== 0) return undefined;
  try {
    const all = JSON.parse(issues) as readonly RecordedIssue[];
    return all.filter(({ rule }) => rule !== POLICY);
  } catch {
    return undefined;
  }
}

/** Returns the places in complete lists of issues. */
function placesIn(
  lists: readonly ListRow[],
  passing: readonly ListRow[],
): ReadonlyMap<string, KnownPlaces> {
  const found = new Map<string, KnownPlaces>();
  const done = new Set(passing);
  for (const list of lists) {
    const issues = done.has(list) ? undefined : issuesIn(list);
    if (issues === undefined) continue;
    const key = groupOf(list);
    const known: KnownPlaces = found.get(key) ?? { records: 0, issues: new Map() };
    found.set(key, known);
    known.records += list.records;
    for (const [{ rule }, as] of countedIssues(issues)) {
      const before = known.issues.get(rule);
      const undeclared = together(before, isUndeclared(as) ? "all" : undefined);
      const places = withPlace(before === undefined ? [] : before.places, as);
      known.issues.set(rule, { places, ...(undeclared && { undeclared }) });
    }
  }
  return found;
}

/** Adds the narrowest place of an issue, which an undeclared argument needs none of. */
function withPlace(
  places: readonly string[] | undefined,
  issue: RecordedIssue,
): readonly string[] | undefined {
  if (places === undefined || isUndeclared(issue)) return places;
  const place = narrowestPlace(issue);
  return place === undefined ? undefined : [...new Set([...places, place])];
}

/** Returns whether rules about places, or about undeclared arguments, let a record with these issues pass. */
function isLetPass(list: ListRow, excuses: Excuses): boolean {
  const { places, undeclared } = excuseOf(excuses, list) ?? {};
  const issues = places && issuesIn(list);
  return places !== undefined && issues !== undefined && letsPass(places, issues, undeclared);
}

/** Returns whether a record's issues are one of these complete lists. */
function isAmong(dialect: Dialect, lists: readonly ListRow[]): Expression<SqlBool> {
  const rows = lists.map(({ server, tool, direction, issues }) => [
    ...[server ?? "", tool ?? "", direction ?? "", issues],
  ]);
  const own = ["server", "tool", "direction", "issues"].map(
    (name) => sql`coalesce(${sql.ref(name)}, '')`,
  );
  return sql<SqlBool>`(coalesce(truncated, 0) = 0 AND (${sql.join(own)}) IN ${tableOf(dialect, rows)})`;
}

/** The class of issues that no mode of a check blocks: policy and pins have their own. */
const POLICY = "policy";

/** Returns whether a record's issue classes are all excused, or of policy; false if it has none. */
function isExcused(dialect: Dialect, excuses: Excuses): Expression<SqlBool> {
  const others = hasOnly([]);
  if (excuses.length === 0) return sql<SqlBool>`${others}`;
  // The most specific one applies.
  const levels = [
    excuses.filter(({ tool }) => tool !== undefined),
    excuses.filter(({ server, tool }) => server !== undefined && tool === undefined),
    excuses.filter(({ server }) => server === undefined),
  ];
  const arms = levels.flatMap((level) =>
    sameRules(level).map(
      (same) => sql`WHEN ${isAbout(dialect, same)} THEN ${hasOnly(same[0]?.rules ?? [])}`,
    ),
  );
  return sql<SqlBool>`CASE ${sql.join(arms, sql` `)} ELSE ${others} END`;
}

/** Groups excuses by the classes that they excuse. */
function sameRules(excuses: Excuses): readonly Excuses[] {
  const groups = new Map<string, Excuse[]>();
  for (const excuse of excuses) {
    const key = excuse.rules.join();
    const group = groups.get(key);
    if (group !== undefined) group.push(excuse);
    else if (groups.size < MAX_SETS) groups.set(key, [excuse]);
  }
  return [...groups.values()];
}

/** Returns whether a record is about one of these, which are all of one level. */
function isAbout(dialect: Dialect, excuses: Excuses) {
  const names = (["direction", "server", "tool"] as const).filter(
    (name) => excuses[0]?.[name] !== undefined,
  );
  const rows = excuses.map((excuse) => names.map((name) => excuse[name] ?? ""));
  const own = names.map((name) => sql`coalesce(${sql.ref(name)}, '')`);
  return sql`(${sql.join(own)}) IN ${tableOf(dialect, rows)}`;
}

/** Removes the excused classes from the list; true if nothing is left. */
function hasOnly(rules: Excuse["rules"]) {
  const list = sql`',' || replace(coalesce(rules, '-'), ',', ',,') || ','`;
  const left = [...rules, POLICY].reduce(
    (rest, rule) => sql`replace(${rest}, ${sql.lit(`,${rule},`)}, '')`,
    list,
  );
  return sql`(${left}) = ''`;
}
