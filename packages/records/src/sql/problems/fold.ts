import { DIRECTIONS } from "../../filter.ts";
import { type FoundProblem, problemsIn } from "../../problems/problem.ts";
import { parseChecks } from "../../rollout/checked-calls.ts";
import { NOTED_PREFIX } from "../../rollout/words.ts";
import { type Database, plainQuery, type RunQuery } from "../database.ts";
import { type Chain, uncountedChains } from "../rollup.ts";
import type { Dialect } from "../tables.ts";

/** How many records one transaction reads. Other processes wait for SQLite's only writer for a few milliseconds. */
const STEP = 2_000;
/** How many chains are searched for such records. */
const CHAINS = 100;
/** How many rows one statement writes. */
const ROWS = 100;

/** How many problems a store keeps in all, and for one tool, because clients may make up names. */
export const MOST_PROBLEMS = 2_000;
export const MOST_OF_TOOL = 50;
/** How many callers of one problem are kept. */
export const MOST_CALLERS = 50;

/** The row of `problem_hours` for issues that do not belong to another row. */
export const OTHERS = "";

const WAITING = uncountedChains("problem_chains");
const MOVE = `INSERT INTO problem_chains (chain, records) VALUES ($1, $2)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records`;
const ADD_HOUR = `INSERT INTO problem_hours (problem, hour, calls, blocked) VALUES ($1, $2, $3, $4)
  ON CONFLICT (problem, hour) DO UPDATE SET calls = problem_hours.calls + excluded.calls,
    blocked = problem_hours.blocked + excluded.blocked`;
const ADD_CALLER = `INSERT INTO problem_callers (problem, caller, last) VALUES ($1, $2, $3)
  ON CONFLICT (problem, caller) DO UPDATE SET
    last = CASE WHEN problem_callers.last > excluded.last THEN problem_callers.last ELSE excluded.last END`;
const ADD_PROBLEM = `INSERT INTO problems (id, server, tool, direction, place, rule, keyword,
    issue, noted, schema_hash, first, last, last_id, passed, more_callers)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0)`;
const SEEN = `UPDATE problems SET issue = $2, noted = $3, schema_hash = $4, last = $5, last_id = $6, passed = 0
  WHERE id = $1 AND (last < $5 OR (last = $5 AND last_id < $6))`;

/** A record of a decision about a call. */
interface DecisionRow {
  readonly id: string;
  readonly time: string;
  readonly server: string | null;
  readonly tool: string;
  readonly direction: string | null;
  readonly decision: string;
  readonly outcome: string | null;
  readonly caller: string | null;
  readonly schema_hash: string | null;
  readonly issues: string;
  readonly truncated: number | null;
  readonly noted: number;
}

/** A record of a call whose check passed in some direction. */
interface PassedRow {
  readonly server: string;
  readonly tool: string;
  readonly time: string;
  readonly duration_ms: number | null;
  readonly checks: string;
}

/** What records add to one problem. */
export interface Sightings {
  readonly problem: FoundProblem;
  first: string;
  latest: DecisionRow;
  readonly hours: Map<string, { calls: number; blocked: number }>;
  /** When each caller was last seen. */
  readonly callers: Map<string, string>;
}

/** What records add to all problems. */
export interface Found {
  readonly problems: Map<string, Sightings>;
  /** The problems of each decision, in case some of them have no room. */
  readonly decisions: {
    readonly hour: string;
    readonly blocked: number;
    readonly problems: readonly string[];
    readonly isWhole: boolean;
  }[];
}

type Ask = <Row>(sql: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;

/** Returns a function that runs a query with numbered parameters on either database. */
export function numberedQueries(dialect: Dialect, run: RunQuery): Ask {
  return (sql, parameters = []) =>
    // In SQLite, a parameter is a question mark followed by its number.
    run(plainQuery(dialect === "sqlite" ? sql.replace(/\$(?=\d)/g, "?") : sql, parameters));
}

/**
 * Adds new records to the problems, up to some thousand of them. As in `rollup.ts`, each record is added once,
 * whichever process wrote it: `problem_chains` changes in the same transaction. If the process is killed during this,
 * nothing has changed.
 *
 * @param chain only reads this chain
 * @returns whether there may be more records
 */
export async function foldProblems(db: Database, chain?: string): Promise<boolean> {
  const { dialect } = db;
  if (chain === undefined) {
    const waiting = await db.read((run) => run(plainQuery(`${WAITING} LIMIT 1`)));
    if (waiting.length === 0) return false;
  }
  return db.write("problems", async (run) => {
    const ask = numberedQueries(dialect, run);
    const chains =
      chain === undefined
        ? await ask<Chain>(`${WAITING} ORDER BY c.chain LIMIT ${CHAINS}`)
        : await ask<Chain>(`${WAITING} AND c.chain = $1`, [chain]);
    let left = STEP;
    for (const { own, appended, pruned, rolled } of chains) {
      const from = Math.max(rolled, pruned);
      const to = Math.min(appended, from + left);
      const range = [own, from, to] as const;
      await keep(ask, await sightingsIn(dialect, ask, range));
      await countPassed(dialect, ask, range);
      await ask(MOVE, [own, to]);
      left -= to - from;
      if (left <= 0) break;
    }
    return left <= 0 || chains.length === CHAINS;
  });
}

/** A range of a chain, by positions. */
type Range = readonly [chain: string, from: number, to: number];

function inRange(dialect: Dialect): string {
  const way = dialect === "sqlite" ? " INDEXED BY activity_chain" : "";
  return `FROM activity${way} WHERE chain = $1 AND seq >= $2 AND seq < $3 AND tool IS NOT NULL`;
}

/** Reads the decisions in a range that blocked a call or warned about it. */
export async function sightingsIn(dialect: Dialect, ask: Ask, range: Range): Promise<Found> {
  const noted = `CASE WHEN coalesce(reason, '') LIKE '${NOTED_PREFIX}%' THEN 1 ELSE 0 END`;
  const rows = await ask<DecisionRow>(
    `SELECT id, time, server, tool, direction, decision, outcome, caller, schema_hash, issues, truncated,
      ${noted} AS noted
    ${inRange(dialect)} AND type = 'policy_decision' AND decision IN ('warning', 'blocked') ORDER BY seq`,
    range,
  );
  const found: Found = { problems: new Map(), decisions: [] };
  for (const row of rows) {
    const { problems, isWhole } = problemsIn(row);
    const hour = row.time.slice(0, 13);
    const blocked = row.decision === "blocked" ? 1 : 0;
    found.decisions.push({ hour, blocked, problems: problems.map(({ id }) => id), isWhole });
    for (const problem of problems) sight(found, problem, row);
  }
  return found;
}

function sight(found: Found, problem: FoundProblem, row: DecisionRow): void {
  const { time, caller } = row;
  const hour = time.slice(0, 13);
  const known = found.problems.get(problem.id);
  const isLater =
    known === undefined ||
    known.latest.time < time ||
    (known.latest.time === time && known.latest.id < row.id);
  const sightings: Sightings = {
    problem: isLater ? problem : known.problem,
    first: known === undefined || time < known.first ? time : known.first,
    latest: isLater ? row : known.latest,
    hours: known?.hours ?? new Map(),
    callers: known?.callers ?? new Map(),
  };
  found.problems.set(problem.id, sightings);
  const counts = sightings.hours.get(hour) ?? { calls: 0, blocked: 0 };
  sightings.hours.set(hour, counts);
  counts.calls += 1;
  if (row.decision === "blocked") counts.blocked += 1;
  if (caller === null) return;
  const before = sightings.callers.get(caller) ?? "";
  sightings.callers.set(caller, before > time ? before : time);
}

/** Writes the problems that were found. Problems without room are counted together in one row. */
async function keep(ask: Ask, { problems, decisions }: Found): Promise<void> {
  if (decisions.length === 0) return;
  const known = new Set<string>();
  for (const ids of chunks([...problems.keys()])) {
    const list = ids.map((_, at) => `$${at + 1}`).join(", ");
    for (const { id } of await ask<{ id: string }>(
      `SELECT id FROM problems WHERE id IN (${list})`,
      ids,
    )) {
      known.add(id);
    }
  }
  const room = new Room(ask);
  for (const [id, sightings] of problems) {
    if (!known.has(id)) {
      if (!(await room.take(sightings.problem))) continue;
      await add(ask, sightings);
      known.add(id);
    } else {
      const { latest, problem } = sightings;
      const { noted, schema_hash, time } = latest;
      await ask(SEEN, [id, problem.issue, noted, schema_hash, time, latest.id]);
      await ask("UPDATE problems SET first = $2 WHERE id = $1 AND first > $2", [
        id,
        sightings.first,
      ]);
    }
    for (const [hour, { calls, blocked }] of sightings.hours) {
      await ask(ADD_HOUR, [id, hour, calls, blocked]);
    }
    await addCallers(ask, id, sightings.callers);
  }
  const others = new Map<string, { calls: number; blocked: number }>();
  for (const { hour, blocked, problems: own, isWhole } of decisions) {
    if (isWhole && own.every((id) => known.has(id))) continue;
    const counts = others.get(hour) ?? { calls: 0, blocked: 0 };
    others.set(hour, counts);
    counts.calls += 1;
    counts.blocked += blocked;
  }
  for (const [hour, { calls, blocked }] of others) {
    await ask(ADD_HOUR, [OTHERS, hour, calls, blocked]);
  }
}

async function add(ask: Ask, { problem, first, latest }: Sightings): Promise<void> {
  const { id, server, tool, direction, place, rule, keyword, issue } = problem;
  await ask(ADD_PROBLEM, [
    ...[id, server, tool, direction, place, rule, keyword, issue],
    ...[latest.noted, latest.schema_hash, first, latest.time, latest.id],
  ]);
}

async function addCallers(
  ask: Ask,
  id: string,
  callers: ReadonlyMap<string, string>,
): Promise<void> {
  if (callers.size === 0) return;
  const rows = await ask<{ caller: string }>(
    "SELECT caller FROM problem_callers WHERE problem = $1",
    [id],
  );
  const known = new Set(rows.map(({ caller }) => caller));
  let isFull = false;
  for (const [caller, last] of callers) {
    if (!known.has(caller) && known.size >= MOST_CALLERS) {
      isFull = true;
      continue;
    }
    known.add(caller);
    await ask(ADD_CALLER, [id, caller, last]);
  }
  if (isFull) await ask("UPDATE problems SET more_callers = 1 WHERE id = $1", [id]);
}

/** Decides how many more problems may be kept. */
class Room {
  readonly #ask: Ask;
  readonly #ofTools = new Map<string, number>();
  #all: number | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Returns whether there is room for a new problem, and uses it. */
  async take({ server, tool }: FoundProblem): Promise<boolean> {
    const key = JSON.stringify([server, tool]);
    this.#all ??= await this.#count("");
    const own =
      this.#ofTools.get(key) ??
      (await this.#count(" WHERE server = $1 AND tool = $2", [server, tool]));
    const isFree = this.#all < MOST_PROBLEMS && own < MOST_OF_TOOL;
    this.#ofTools.set(key, isFree ? own + 1 : own);
    if (isFree) this.#all += 1;
    return isFree;
  }

  async #count(where: string, parameters: readonly unknown[] = []): Promise<number> {
    const [row] = await this.#ask<{ count: number }>(
      `SELECT count(*) AS count FROM problems${where}`,
      parameters,
    );
    return Number(row?.count ?? 0);
  }
}

function checksText(dialect: Dialect): string {
  return dialect === "sqlite"
    ? "CASE WHEN json_valid(extra) THEN extra ->> '$.checks' END"
    : // What a body holds has its quotes escaped.
      `substring(extra from '"checks":"([^"\\\\]*)"')`;
}

/**
 * Counts the calls in a range that began after a problem was last seen, and passed the check. If a call was folded
 * before an earlier sighting in another chain, it is not counted, so the number is never too large.
 */
async function countPassed(dialect: Dialect, ask: Ask, range: Range): Promise<void> {
  const checks = checksText(dialect);
  const rows = await ask<PassedRow>(
    `SELECT coalesce(server, '') AS server, tool, time, duration_ms, ${checks} AS checks
    ${inRange(dialect)} AND type = 'tool_call' AND ${checks} LIKE '% pass%'
      AND EXISTS (SELECT 1 FROM problems p WHERE p.server = coalesce(activity.server, '') AND p.tool = activity.tool)`,
    range,
  );
  const begins = new Map<string, string[]>();
  const tools = new Map<string, readonly [string, string]>();
  for (const { server, tool, time, duration_ms, checks: text } of rows) {
    const begun = new Date(Date.parse(time) - (duration_ms ?? 0));
    if (Number.isNaN(begun.getTime())) continue;
    tools.set(JSON.stringify([server, tool]), [server, tool]);
    const found = parseChecks(text);
    for (const direction of DIRECTIONS) {
      const check = found.get(direction);
      // A check that looked for fewer issues may not have looked for this problem.
      if (check?.outcome !== "pass" || /^(?:less|mixed):/.test(check.lookedFor.token ?? "")) {
        continue;
      }
      const key = JSON.stringify([server, tool, direction]);
      const all = begins.get(key) ?? [];
      begins.set(key, all);
      all.push(begun.toISOString());
    }
  }
  for (const some of chunks([...tools.values()])) {
    const pairs = some.map((_, at) => `($${2 * at + 1}, $${2 * at + 2})`).join(", ");
    const problems = await ask<Record<"id" | "server" | "tool" | "direction" | "last", string>>(
      `SELECT id, server, tool, direction, last FROM problems WHERE (server, tool) IN (${pairs})`,
      some.flat(),
    );
    for (const { id, server, tool, direction, last } of problems) {
      const all = begins.get(JSON.stringify([server, tool, direction])) ?? [];
      const count = all.filter((begun) => begun > last).length;
      if (count > 0) {
        await ask("UPDATE problems SET passed = passed + $2 WHERE id = $1", [id, count]);
      }
    }
  }
}

function* chunks<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += ROWS) yield all.slice(at, at + ROWS);
}
