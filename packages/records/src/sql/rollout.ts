import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import type { Rollout, RolloutOffence } from "../response-schemas.ts";
import {
  groupByTool,
  hasUnknownSettings,
  type ParsedCheckedCalls,
} from "../rollout/checked-calls.ts";
import {
  type Exemption,
  type Exemptions,
  exemptionFor,
  exemptRules,
} from "../rollout/exemption.ts";
import {
  countedIssues,
  forwardsIssues,
  issueForwarder,
  isUndeclared,
  narrowestPlace,
  type RecordedIssue,
} from "../rollout/places.ts";
import { readinessOf } from "../rollout/readiness.ts";
import {
  modesOf,
  NO_SETTINGS,
  type RolloutSettings,
  serversWithKnownSettings,
} from "../rollout/settings.ts";
import { NOTED_PREFIX } from "../rollout/words.ts";
import { type ActivitySelect, groupCount, nullsFirstOrder, queryBuilder } from "./builder.ts";
import { withScope, withTimeRange } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { addEvidence, checkedCalls, isBeforeChange, schemaChanges } from "./rollout-evidence.ts";
import { tableOf } from "./table-of.ts";
import type { Dialect } from "./tables.ts";
import { largestSkew } from "./totals.ts";

/** For how many combinations of a tool and its warnings to report offenses, because clients may make up names. */
const MAX_GROUPS = 1_000;

/** How many tools to report, because clients may make up names. */
const MAX_TOOLS = 1_000;

/**
 * How many different sets of exempt classes to distinguish. For tools beyond these, the exemptions of their server
 * apply.
 */
const MAX_SETS = 500;

type Row = Omit<RolloutOffence, "rule" | "places"> & {
  readonly decision: string;
  readonly rules: string | null;
};

/** How many lists of issues to read, the most frequent first, and the longest list, in characters. */
const MAX_LISTS = 1_000;
const MAX_LIST = 8_192;

/** Records with the same list of issues. */
type ListRow = Row & { readonly issues: string; readonly cut: number; readonly records: number };

/** How many places of one class of a tool's issues to suggest individually. */
const MAX_PLACES = 20;

/**
 * Returns what strict would block, or has blocked, among recorded calls: decisions in `warn` that the settings do not
 * exempt, and blocks in `strict`. Faults that no mode blocks are not included, and neither are issues of policy,
 * which has separate modes. Calls from before a change of their tool's schema are not evidence for the current
 * schema.
 */
export async function rolloutOf(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  given: RolloutSettings | undefined,
): Promise<Rollout> {
  const settings = given ?? NO_SETTINGS;
  const { dialect } = db;
  const skew = await largestSkew(db, run);
  const changes = await schemaChanges(db, run, scope, skew);
  const stretch = { scope, skew, changes };
  const { checked, left } = await checkedCalls(db, run, stretch);
  const excuses = [...nothingExcused(checked, settings), ...settings.excuses];
  const repaired = withTimeRange(
    withScope(
      queryBuilder(dialect)
        .selectFrom("activity")
        .where("type", "=", "policy_decision")
        .where("decision", "=", "repaired"),
      scope,
      dialect,
    ),
    scope,
    skew,
  );
  const blocking = () =>
    withTimeRange(
      withScope(strictBlocks(dialect, serversWithKnownSettings(settings)), scope, dialect),
      scope,
      skew,
    ).where((eb) => eb.not(isBeforeChange(changes)));
  const isOpen = sql<SqlBool>`NOT ${isExcused(dialect, excuses)}`;
  const { lists, passing } = await issueLists(run, blocking().where(isOpen), excuses);
  const isStill =
    passing.length === 0 ? isOpen : sql<SqlBool>`(${isOpen} AND NOT ${isAmong(dialect, passing)})`;
  const [sent] = await run<{ calls: number }>(repaired.select(REQUESTS.as("calls")).compile());
  const grouped = (calls: "is" | "is not") =>
    run<Row & { readonly groups: number; readonly records: number }>(
      blocking()
        .where(isStill)
        .where("tool", calls, null)
        .select(PLACES)
        .select([REQUESTS.as("calls"), sql<number>`count(*)`.as("records")])
        .select(groupCount)
        .groupBy(PLACES)
        .orderBy("calls", "desc")
        .orderBy(nullsFirstOrder(PLACES))
        .limit(MAX_GROUPS)
        .compile(),
    );
  const others = await grouped("is");
  const ofCalls = await grouped("is not");
  const blocked = sql<SqlBool>`(decision = 'blocked' OR ${isStill})`;
  const decisions = { all: () => blocking().where(blocked), isStill };
  const evidence = await addEvidence(db, run, { scope, skew, checked, decisions, settings });
  const { totals, tools, toolsLeftOut } = readinessOf(evidence, settings, MAX_TOOLS);
  return {
    since: scope.since?.toISOString() ?? null,
    until: scope.until?.toISOString() ?? null,
    ...totals,
    calls: totals.calls + left,
    not_checked: totals.not_checked + left,
    repaired: sent?.calls ?? 0,
    other_messages: others.reduce((sum, { calls }) => sum + calls, 0),
    offences: offences([...ofCalls, ...others], excuses, placesIn(lists, passing, excuses)),
    offences_left_out: (ofCalls[0]?.groups ?? 0) - ofCalls.length,
    tools,
    tools_left_out: toolsLeftOut,
  };
}

const PLACES = ["server", "tool", "direction", "outcome", "decision", "rules"] as const;
const REQUESTS = sql<number>`count(DISTINCT request_id)`;

/**
 * Returns the lists of issues in decisions about calls, the most frequent first, and those that exempt places
 * forward.
 */
async function issueLists(
  run: RunQuery,
  decisions: ActivitySelect<unknown>,
  excuses: Exemptions,
): Promise<Readonly<Record<"lists" | "passing", readonly ListRow[]>>> {
  const cut = sql<number>`CASE WHEN coalesce(truncated, 0) > 0 THEN 1 ELSE 0 END`;
  const lists = await run<ListRow>(
    decisions
      .where("tool", "is not", null)
      .where(sql<SqlBool>`length(issues) <= ${sql.lit(MAX_LIST)}`)
      .select([...PLACES, "issues"])
      .select([cut.as("cut"), sql<number>`count(*)`.as("records"), REQUESTS.as("calls")])
      .groupBy([...PLACES, "issues"])
      .groupBy(cut)
      .orderBy("records", "desc")
      .orderBy(nullsFirstOrder([...PLACES, "issues"]))
      .limit(MAX_LISTS)
      .compile(),
  );
  return { lists, passing: lists.filter((list) => isLetPass(list, excuses)) };
}

/** Excludes the decisions about calls whose issues are all in exempt places. */
export async function withoutExemptPlaces(
  dialect: Dialect,
  run: RunQuery,
  decisions: ActivitySelect<unknown>,
  excuses: Exemptions,
): Promise<ActivitySelect<unknown>> {
  if (!excuses.some(({ places }) => places !== undefined && Object.keys(places).length > 0)) {
    return decisions;
  }
  const { passing } = await issueLists(run, decisions, excuses);
  if (passing.length === 0) return decisions;
  return decisions.where((eb) => eb.not(isAmong(dialect, passing)));
}

/**
 * Returns empty exemptions for tools whose newest call shows that their settings differ from the known ones.
 */
function nothingExcused(
  checked: readonly ParsedCheckedCalls[],
  settings: RolloutSettings,
): Exemptions {
  if (settings.excuses.length === 0) return [];
  const placed = modesOf(settings);
  return [...groupByTool(checked).values()].flatMap((groups) => {
    const [{ server, tool } = { server: null, tool: null }] = groups;
    if (server === null || tool === null) return [];
    if (!hasUnknownSettings(groups, placed(server, tool))) return [];
    return (["input", "output"] as const).map((direction) => ({
      ...{ direction, server, tool, rules: [] },
    }));
  });
}

/**
 * Selects the decisions that strict would block, or has blocked, whatever the settings exempt.
 * @param certain the only servers whose warnings in strict count, because settings may now block what strict
 *   forwarded; undefined: all servers
 */
function strictBlocks(
  dialect: Dialect,
  certain: readonly string[] | undefined,
): ActivitySelect<unknown> {
  const isCertain = certain === undefined ? sql`1 = 1` : isOneOf(dialect, certain);
  return withoutNotes(
    queryBuilder(dialect)
      .selectFrom("activity")
      .where("type", "=", "policy_decision")
      .where(
        sql<SqlBool>`((decision = 'warning' AND (mode = 'warn' OR (mode = 'strict' AND ${isCertain})))
          OR (decision = 'blocked' AND mode = 'strict' AND tool IS NOT NULL
            AND NOT (direction = 'protocol' AND coalesce(outcome, '') = 'guard')))`,
      ),
  ).where(sql<SqlBool>`NOT ${hasOnly([])}`);
}

/** Returns the condition that a record is about one of these servers. */
function isOneOf(dialect: Dialect, servers: readonly string[]): RawBuilder<unknown> {
  if (servers.length === 0) return sql`1 = 0`;
  const names = servers.map((server) => [server]);
  return sql`(coalesce(server, '')) IN ${tableOf(dialect, names)}`;
}

/**
 * Selects the warnings that strict would have turned into blocks, ignoring exempt places. SQLite finds them by time,
 * without reading the decisions of all times.
 */
export function blockedInStrict(dialect: Dialect, excuses: Exemptions): ActivitySelect<unknown> {
  // A plus sign prevents SQLite from using the column's index (https://www.sqlite.org/optoverview.html).
  const type = sql<string>`${sql.raw(dialect === "sqlite" ? "+type" : "type")}`;
  const all = queryBuilder(dialect)
    .selectFrom("activity")
    .where(type, "=", "policy_decision")
    .where("decision", "=", "warning")
    .where("mode", "=", "warn");
  return withoutNotes(all).where((eb) => eb.not(isExcused(dialect, excuses)));
}

/** Excludes issues that no mode blocks. */
function withoutNotes(all: ActivitySelect<unknown>): ActivitySelect<unknown> {
  return all.where((eb) =>
    eb.not(eb(eb.fn.coalesce("reason", eb.val("")), "like", `${NOTED_PREFIX}%`)),
  );
}

/**
 * Returns one entry for each class of issues that is not exempt. A call that violated several rules is in each of
 * their entries.
 */
function offences(
  rows: readonly (Row & { readonly records: number })[],
  excuses: Exemptions,
  known: ReadonlyMap<string, KnownPlaces>,
): readonly RolloutOffence[] {
  const found = new Map<string, RolloutOffence>();
  // If one issue of a class has no known place, the places of the others are not useful.
  const unknown = new Set<string>();
  for (const row of rows) {
    const { server, tool, direction, outcome, rules, calls, records } = row;
    const where = { server, tool, direction, outcome };
    const excused = [...exemptRules(excuses, where), POLICY];
    const own = known.get(groupOf(row));
    for (const rule of rules?.split(",") ?? [null]) {
      if (rule !== null && excused.includes(rule)) continue;
      const key = JSON.stringify([where, rule]);
      const before = found.get(key);
      const isKnown = own?.records === records;
      const issues = isKnown ? own.issues.get(rule ?? "") : undefined;
      // Strict blocks these calls because of other issues: the settings exempt all issues of this class.
      if (isKnown && rule !== null && issues === undefined) continue;
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

/** Combines which issues are undeclared arguments, among earlier findings, if any, and new ones. */
function together(before: { readonly undeclared?: Share } | undefined, more: Share): Share {
  if (before === undefined || before.undeclared === more) return more;
  return "some";
}

/** The known issues of one class. */
interface KnownIssues {
  /** The places of all issues except undeclared arguments; undefined if one of them has no place. */
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

function groupOf({ server, tool, direction, outcome, decision, rules }: Row): string {
  return JSON.stringify([server, tool, direction, outcome, decision, rules]);
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

/** Returns the places in complete lists of issues, of the issues that are not excused. */
function placesIn(
  lists: readonly ListRow[],
  excused: readonly ListRow[],
  excuses: Exemptions,
): ReadonlyMap<string, KnownPlaces> {
  const found = new Map<string, KnownPlaces>();
  const done = new Set(excused);
  for (const list of lists) {
    const issues = done.has(list) ? undefined : issuesIn(list);
    if (issues === undefined) continue;
    const key = groupOf(list);
    const known: KnownPlaces = found.get(key) ?? { records: 0, issues: new Map() };
    found.set(key, known);
    known.records += list.records;
    const { places: rules, undeclared: treatment } = exemptionFor(excuses, list) ?? {};
    const passes = rules && issueForwarder(rules, treatment);
    for (const [{ rule }, as] of countedIssues(issues)) {
      if (passes?.(as) === true) continue;
      const before = known.issues.get(rule);
      const undeclared = together(before, isUndeclared(as) ? "all" : undefined);
      const places = withPlace(before === undefined ? [] : before.places, as);
      known.issues.set(rule, { places, ...(undeclared && { undeclared }) });
    }
  }
  return found;
}

/** Adds the narrowest place of an issue; an undeclared argument needs none. */
function withPlace(
  places: readonly string[] | undefined,
  issue: RecordedIssue,
): readonly string[] | undefined {
  if (places === undefined || isUndeclared(issue)) return places;
  const place = narrowestPlace(issue);
  return place === undefined ? undefined : [...new Set([...places, place])];
}

/** Returns whether rules for places, or for undeclared arguments, forward a record with these issues. */
function isLetPass(list: ListRow, excuses: Exemptions): boolean {
  const { places, undeclared } = exemptionFor(excuses, list) ?? {};
  const issues = places && issuesIn(list);
  return places !== undefined && issues !== undefined && forwardsIssues(places, issues, undeclared);
}

/** Returns the condition that a record's issues equal one of these complete lists. */
function isAmong(dialect: Dialect, lists: readonly ListRow[]): Expression<SqlBool> {
  const rows = lists.map(({ server, tool, direction, decision, issues }) => [
    ...[server ?? "", tool ?? "", direction ?? "", decision, issues],
  ]);
  const own = ["server", "tool", "direction", "decision", "issues"].map(
    (name) => sql`coalesce(${sql.ref(name)}, '')`,
  );
  return sql<SqlBool>`(coalesce(truncated, 0) = 0 AND (${sql.join(own)}) IN ${tableOf(dialect, rows)})`;
}

/** The class of issues that no mode of a check blocks: policy and pins have their own modes. */
const POLICY = "policy";

/** Returns the condition that all issue classes of a record are exempt, or of policy; false if it has none. */
function isExcused(dialect: Dialect, excuses: Exemptions): Expression<SqlBool> {
  const others = hasOnly([]);
  if (excuses.length === 0) return sql<SqlBool>`${others}`;
  // The most specific exemption applies.
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

/** Groups exemptions by their classes. */
function sameRules(excuses: Exemptions): readonly Exemptions[] {
  const groups = new Map<string, Exemption[]>();
  for (const excuse of excuses) {
    const key = excuse.rules.join();
    const group = groups.get(key);
    if (group !== undefined) group.push(excuse);
    else if (groups.size < MAX_SETS) groups.set(key, [excuse]);
  }
  return [...groups.values()];
}

/** Returns the condition that one of these exemptions, which are all of one level, applies to a record. */
function isAbout(dialect: Dialect, excuses: Exemptions) {
  const names = (["direction", "server", "tool"] as const).filter(
    (name) => excuses[0]?.[name] !== undefined,
  );
  const rows = excuses.map((excuse) => names.map((name) => excuse[name] ?? ""));
  const own = names.map((name) => sql`coalesce(${sql.ref(name)}, '')`);
  return sql`(${sql.join(own)}) IN ${tableOf(dialect, rows)}`;
}

/** Removes the exempt classes from the list; true if nothing remains. */
function hasOnly(rules: Exemption["rules"]) {
  const list = sql`',' || replace(coalesce(rules, '-'), ',', ',,') || ','`;
  const left = [...rules, POLICY].reduce(
    (rest, rule) => sql`replace(${rest}, ${sql.lit(`,${rule},`)}, '')`,
    list,
  );
  return sql`(${left}) = ''`;
}
