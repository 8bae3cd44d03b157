import { describeIssue, type Issue } from "@touchstone/core/advanced";
import { WHOLES } from "../../calls.ts";
import type { ProblemFilter, ProblemScope } from "../../problems/filter.ts";
import { allowingKey, type ProblemKey } from "../../problems/problem.ts";
import {
  MOST_BUCKETS,
  type Problem,
  type ProblemPage,
  SHOWN_CALLERS,
} from "../../problems/response-schemas.ts";
import { problemState } from "../../problems/state.ts";
import { modesOf, type RolloutSettings } from "../../rollout/settings.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { ceilHour, floorHour, HOUR_MS, hourOf } from "../hours.ts";
import { uncountedChains } from "../rollup.ts";
import { numberedQueries, OTHERS } from "./fold.ts";

/** Possible lengths of buckets, in hours. */
const STEPS = [1, 2, 3, 6, 12, 24, 48, 72, 168, 336, 720, 2_160, 8_760];
const DAY_HOURS = 24;

interface Row extends ProblemKey {
  readonly id: string;
  readonly issue: string;
  readonly noted: number;
  readonly schema_hash: string | null;
  readonly first: string;
  readonly last: string;
  readonly last_id: string;
  readonly passed: number;
  readonly more_callers: number;
  readonly until: string | null;
  readonly since: string | null;
  readonly actor: string | null;
  readonly caller: string | null;
  readonly reason: string | null;
}

interface Counts {
  readonly calls: number;
  readonly blocked: number;
}

type Ask = ReturnType<typeof numberedQueries>;

const COLUMNS = `p.id AS id, server, tool, direction, place, rule, keyword, issue, noted, schema_hash, first, last,
  last_id, passed, more_callers, i.until AS until, i.since AS since, actor, caller, reason`;

/**
 * Returns a page of the problems that meet a filter: open ones first, then those with the most calls.
 * @param settings the current settings; undefined if they are unknown
 */
export async function problemPage(
  db: ReadDatabase,
  run: RunQuery,
  filter: ProblemFilter,
  { settings, now }: { readonly settings: RolloutSettings | undefined; readonly now: Date },
): Promise<ProblemPage> {
  const ask = numberedQueries(db.dialect, run);
  const { limit, offset, states } = filter;
  const rows = await rowsIn(ask, filter);
  const time = timeOf(filter, rows, now);
  const counts = await countsIn(ask, filter, time);
  const look = lookAt(settings, now);
  const isTimed = filter.since !== undefined || filter.until !== undefined;
  const all = rows
    .filter(({ id }) => !isTimed || counts.has(id))
    .map((row) => ({ row, state: look.stateOf(row), ...countOf(counts, row.id) }));
  const meant = all.filter(({ state }) => states === undefined || states.includes(state));
  meant.sort(
    (a, b) =>
      ORDER[a.state] - ORDER[b.state] || b.calls - a.calls || (a.row.id < b.row.id ? -1 : 1),
  );
  const shown = meant.slice(offset, offset + limit);
  const of = (state: Problem["state"]): number => all.filter((one) => one.state === state).length;
  const detailed = await details(
    ask,
    shown.map(({ row }) => row.id),
    filter,
    time,
  );
  return {
    problems: shown.map(({ row, ...known }) => look.problem(row, known, detailed(row.id))),
    total: meant.length,
    ...{ limit, offset },
    since: time.from.toISOString(),
    until: time.to.toISOString(),
    bucket_ms: time.step * HOUR_MS,
    states: {
      open: of("open"),
      not_seen: of("not_seen"),
      ignored: of("ignored"),
      allowed: of("allowed"),
    },
    others: countOf(counts, OTHERS).calls,
    not_counted: await waiting(ask),
  };
}

/** Returns one problem, with its calls in a time range; undefined if it is unknown. */
export async function oneProblem(
  db: ReadDatabase,
  run: RunQuery,
  id: string,
  scope: ProblemScope,
  { settings, now }: { readonly settings: RolloutSettings | undefined; readonly now: Date },
): Promise<Problem | undefined> {
  const ask = numberedQueries(db.dialect, run);
  const [row] = await ask<Row>(
    `SELECT ${COLUMNS} FROM problems p LEFT JOIN problem_ignores i ON i.problem = p.id WHERE p.id = $1`,
    [id],
  );
  if (row === undefined) return undefined;
  const time = timeOf(scope, [row], now);
  const counts = await countsIn(ask, scope, time, id);
  const look = lookAt(settings, now);
  const known = { state: look.stateOf(row), ...countOf(counts, id) };
  return look.problem(row, known, (await details(ask, [id], scope, time))(id));
}

const ORDER: Readonly<Record<Problem["state"], number>> = {
  open: 0,
  not_seen: 1,
  ignored: 2,
  allowed: 3,
};

function countOf(counts: ReadonlyMap<string, Counts>, id: string): Counts {
  return counts.get(id) ?? { calls: 0, blocked: 0 };
}

function rowsIn(ask: Ask, { server, tool }: ProblemScope): Promise<readonly Row[]> {
  const wanted = [
    ...(server === undefined ? [] : [["server", server] as const]),
    ...(tool === undefined ? [] : [["tool", tool] as const]),
  ];
  const where = wanted.map(
    ([column], at) => `${at === 0 ? "WHERE" : "AND"} ${column} = $${at + 1}`,
  );
  return ask<Row>(
    `SELECT ${COLUMNS} FROM problems p LEFT JOIN problem_ignores i ON i.problem = p.id ${where.join(" ")}`,
    wanted.map(([, value]) => value),
  );
}

/** Whole hours, and the number of hours in a bucket. */
interface Hours {
  readonly from: Date;
  readonly to: Date;
  readonly step: number;
}

/** Returns the whole hours of a scope; by default, from the first counted call until now. */
function timeOf({ since, until }: ProblemScope, rows: readonly Row[], now: Date): Hours {
  const first = rows.reduce((least, row) => (row.first < least ? row.first : least), "~");
  const begin = since ?? (first === "~" ? now : new Date(first));
  const to = ceilHour(until ?? now);
  const from = floorHour(begin < to ? begin : new Date(to.getTime() - HOUR_MS));
  const hours = (to.getTime() - from.getTime()) / HOUR_MS;
  const most = Math.ceil(hours / MOST_BUCKETS);
  return { from, to, step: STEPS.find((step) => step >= most) ?? most };
}

function hoursText({ since, until }: ProblemScope, { from, to }: Hours, first: number) {
  const wanted = [
    ...(since === undefined ? [] : [[">=", hourOf(from)] as const]),
    ...(until === undefined ? [] : [["<", hourOf(to)] as const]),
  ];
  return {
    where: wanted.map(([is], at) => ` AND hour ${is} $${first + at}`).join(""),
    parameters: wanted.map(([, hour]) => hour),
  };
}

/** Counts the calls of each problem. */
async function countsIn(
  ask: Ask,
  scope: ProblemScope,
  time: Hours,
  id?: string,
): Promise<ReadonlyMap<string, Counts>> {
  const own = id === undefined ? [] : [id];
  const { where, parameters } = hoursText(scope, time, own.length + 1);
  const rows = await ask<{ problem: string; calls: number; blocked: number }>(
    `SELECT problem, sum(calls) AS calls, sum(blocked) AS blocked FROM problem_hours
     WHERE ${id === undefined ? "1 = 1" : "problem = $1"}${where} GROUP BY problem`,
    [...own, ...parameters],
  );
  return new Map(
    rows.map(({ problem, calls, blocked }) => [
      problem,
      { calls: Number(calls), blocked: Number(blocked) },
    ]),
  );
}

/** Facts that are read only for the problems of a page. */
interface Details {
  readonly buckets: readonly number[];
  /** The callers; those that were seen last come first. */
  readonly callers: readonly string[];
}

async function details(
  ask: Ask,
  ids: readonly string[],
  scope: ProblemScope,
  time: Hours,
): Promise<(id: string) => Details> {
  const size = Math.max(
    1,
    Math.ceil((time.to.getTime() - time.from.getTime()) / HOUR_MS / time.step),
  );
  const found = new Map<string, { buckets: number[]; callers: string[] }>(
    ids.map((id) => [id, { buckets: Array.from({ length: size }, () => 0), callers: [] }]),
  );
  if (ids.length > 0) {
    const list = ids.map((_, at) => `$${at + 1}`).join(", ");
    const { where, parameters } = hoursText(scope, time, ids.length + 1);
    // Buckets of whole days are counted by the day.
    const slot = time.step % DAY_HOURS === 0 ? "substr(hour, 1, 10)" : "hour";
    const rows = await ask<{ problem: string; slot: string; calls: number }>(
      `SELECT problem, ${slot} AS slot, sum(calls) AS calls FROM problem_hours
       WHERE problem IN (${list})${where} GROUP BY problem, ${slot}`,
      [...ids, ...parameters],
    );
    for (const { problem, slot: at, calls } of rows) {
      const begin = Date.parse(at.length === 10 ? at : `${at}:00:00.000Z`);
      const index = Math.floor((begin - time.from.getTime()) / HOUR_MS / time.step);
      const buckets = found.get(problem)?.buckets;
      const place = Math.min(Math.max(0, index), size - 1);
      if (buckets !== undefined) buckets[place] = (buckets[place] ?? 0) + Number(calls);
    }
    const from = scope.since?.toISOString() ?? "";
    for (const { problem, caller } of await ask<{ problem: string; caller: string }>(
      `SELECT problem, caller FROM problem_callers WHERE problem IN (${list}) AND last >= $${ids.length + 1}
       ORDER BY last DESC, caller`,
      [...ids, from],
    )) {
      found.get(problem)?.callers.push(caller);
    }
  }
  return (id) => found.get(id) ?? { buckets: [], callers: [] };
}

async function waiting(ask: Ask): Promise<number> {
  const [row] = await ask<{ waiting: number | null }>(
    `SELECT sum(appended - rolled) AS waiting FROM (${uncountedChains("problem_chains")}) u`,
  );
  return Number(row?.waiting ?? 0);
}

/** Returns a function that converts rows, according to the current settings. */
function lookAt(settings: RolloutSettings | undefined, now: Date) {
  const placed = settings === undefined ? undefined : modesOf(settings);
  const at = now.toISOString();
  return {
    stateOf: (row: Row): Problem["state"] =>
      problemState(row, {
        excuses: settings?.excuses,
        ignoredUntil: row.until ?? undefined,
        passed: Number(row.passed),
        now,
      }),
    problem(
      row: Row,
      { state, calls, blocked }: Counts & { readonly state: Problem["state"] },
      { buckets, callers }: Details,
    ): Problem {
      const issue = issueOf(row);
      const { direction } = row as { direction: Problem["direction"] };
      const { received } = (issue.params ?? {}) as { received?: unknown };
      return {
        ...{ id: row.id, server: row.server === "" ? null : row.server, tool: row.tool },
        ...{ direction, place: row.place, rule: issue.rule },
        keyword: row.keyword === "" ? null : row.keyword,
        text: describeIssue(issue, WHOLES.get(direction)),
        issue,
        received: typeof received === "string" ? received : null,
        ...{ calls, blocked },
        callers: {
          count: callers.length,
          more: Number(row.more_callers) !== 0,
          names: callers.slice(0, SHOWN_CALLERS),
        },
        ...{ first: row.first, last: row.last, last_record: row.last_id },
        schema_hash: row.schema_hash,
        mode: placed?.(row.server === "" ? null : row.server, row.tool)?.modes?.[direction] ?? null,
        state,
        passed_since: Number(row.passed),
        ignored: ignoredIn(row, at),
        allow: allowing(row),
        buckets,
      };
    },
  };
}

/** Returns the issue of the latest call. If its text was tampered with, the problem's own key is used instead. */
function issueOf({ issue, place, rule, keyword }: Row): Issue {
  const own = { path: place, rule: rule as Issue["rule"], ...(keyword === "" ? {} : { keyword }) };
  try {
    const { message, params } = JSON.parse(issue) as Partial<Issue>;
    const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
    return { ...own, message: String(message), ...(isObject ? { params } : {}) };
  } catch {
    return { ...own, message: "unknown" };
  }
}

function ignoredIn({ until, since, actor, caller, reason }: Row, now: string): Problem["ignored"] {
  if (until === null || since === null || until <= now) return null;
  const by = [caller, actor].filter((text) => text !== null && text !== "").join(", ");
  return { until, since, by, reason };
}

function allowing(row: Row): Problem["allow"] {
  const key = allowingKey(row);
  if (key === undefined || row.server === "") return null;
  // If no mode blocks the issue, it is already a warning, so allowing it means to stop reporting it.
  const isNoted = Number(row.noted) !== 0;
  const section =
    key === "undeclared"
      ? ({ undeclared: isNoted ? "allow" : "warning" } as const)
      : { rules: { [key.rule]: isNoted ? ("ignore" as const) : ("warning" as const) } };
  const tools = { [row.tool]: { [`${row.direction}_validation`]: section } };
  return { [row.server]: { touchstone: { tools } } };
}
