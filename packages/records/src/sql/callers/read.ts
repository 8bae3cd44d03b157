import { sql } from "kysely";
import type { CallerTime } from "../../caller-filter.ts";
import { queryBuilder } from "../builder.ts";
import type { Sql } from "../conditions.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { andConditions } from "../index-scan.ts";
import { LAST_REMOVED_ID_SQL, uncountedChains } from "../rollup.ts";
import {
  CALL_AS_CELL,
  CALLER_COUNTS,
  type CallerCell,
  cutSlot,
  SLOT_MS,
  slotOf,
  slotTime,
} from "./rollup.ts";

/** Rows of `caller_rollup` to read, the latest first. */
const MOST_ROWS = 10_000;
/** If more records are not counted yet, none are read one by one. */
const MOST_WAITING = 5_000;
/** A single half hour may have more rows than the other limit. */
const MOST_CELLS = 70_000;

/** Numbers of calls by caller. Several cells may have the same names. */
export interface CallerCells<Name extends string> {
  readonly cells: readonly Pick<
    CallerCell,
    Extract<Name, keyof CallerCell> | (typeof CALLER_COUNTS)[number] | "first" | "last"
  >[];
  /** The calls from this time on were read; undefined if these are all calls. */
  readonly from: Date | undefined;
  /** Whether `from` is later than requested, or a single half hour had too many rows. */
  readonly isCut: boolean;
  /** Records that are not counted yet, and were not read. */
  readonly uncounted: number;
}

/**
 * Counts the calls of a time range by some columns. The range is extended to whole half hours at both ends. In busy
 * stores only the latest rows are read, so that the time is bounded.
 */
export async function callerCells<Name extends "slot" | "caller" | "client" | "server" | "tool">(
  db: ReadDatabase,
  run: RunQuery,
  { since, until }: CallerTime,
  by: readonly Name[],
): Promise<CallerCells<Name>> {
  const { dialect } = db;
  const build = queryBuilder(dialect);
  if (!(await isGranted(db, run))) {
    const [all] = await run(
      sql<{ records: number | null }>`SELECT sum(records - pruned) AS records FROM chains`.compile(
        build,
      ),
    );
    return { cells: [], from: undefined, isCut: false, uncounted: all?.records ?? 0 };
  }
  const last = until === undefined ? undefined : slotOf(new Date(until.getTime() - 1));
  const upTo = last === undefined ? [] : [sql`slot <= ${last}`];
  const [state] = await run(
    sql<State>`SELECT
      (${sql.raw(LAST_REMOVED_ID_SQL)}) AS removed,
      (SELECT max(slot) FROM caller_rollup WHERE ${andConditions([sql`slot >= ''`, ...upTo])}) AS newest,
      (SELECT slot FROM caller_rollup WHERE ${andConditions([sql`slot >= ''`, ...upTo])}
        ORDER BY slot DESC LIMIT 1 OFFSET ${sql.lit(MOST_ROWS)}) AS far,
      (SELECT sum(appended - rolled) FROM (${sql.raw(UNCOUNTED)}) u) AS waiting`.compile(build),
  );
  const wanted = since === undefined ? undefined : slotOf(since);
  const cut = cutSlot(state?.removed ?? null);
  const bounds = [...(cut === undefined ? [] : [nextSlot(cut)]), ...farthest(state)];
  const bound = bounds.toSorted().at(-1);
  const isBound = bound !== undefined && (wanted === undefined || bound > wanted);
  const from = isBound ? bound : wanted;
  const waiting = state?.waiting ?? 0;
  const isRead = waiting <= MOST_WAITING;
  const inTime = [...(from === undefined ? [] : [sql`slot >= ${from}`]), ...upTo];
  const names = sql.raw(by.join(", "));
  const sums = sql.raw(CALLER_COUNTS.map((name) => `sum(${name}) AS ${name}`).join(", "));
  const added = async (of: Sql): Promise<CallerCells<Name>["cells"]> =>
    run(
      sql<
        CallerCells<Name>["cells"][number]
      >`SELECT ${names}, ${sums}, min(first) AS first, max(last) AS last
        FROM ${of} ${where(inTime)} GROUP BY ${names} LIMIT ${sql.lit(MOST_CELLS)}`.compile(build),
    );
  // Not combined in one query: a union would lose the table's own order, which is that of sessions.
  const counted = await added(sql`caller_rollup`);
  const byChain = dialect === "sqlite" ? sql.raw("INDEXED BY activity_chain") : sql``;
  const latest =
    waiting > 0 && isRead
      ? await added(sql`(SELECT ${sql.raw(CALL_AS_CELL)}
          FROM (${sql.raw(UNCOUNTED)}) u CROSS JOIN activity ${byChain}
          WHERE activity.chain = own AND activity.seq >= rolled AND activity.seq < appended
            AND type = 'tool_call') waiting`)
      : [];
  const cells = [...counted, ...latest];
  return {
    cells,
    from: from === undefined ? undefined : slotTime(from),
    isCut: isBound || counted.length === MOST_CELLS,
    uncounted: isRead ? 0 : waiting,
  };
}

interface State {
  /** The last id that retention has removed. */
  readonly removed: string | null;
  readonly newest: string | null;
  /** The slot of the first row that is not read. */
  readonly far: string | null;
  readonly waiting: number | null;
}

/** Returns the first slot to read if there are too many rows. The newest slot is always read. */
function farthest(state: State | undefined): readonly string[] {
  if (state === undefined || state.far === null || state.newest === null) return [];
  return [state.far === state.newest ? state.newest : nextSlot(state.far)];
}

const UNCOUNTED = uncountedChains("caller_rollup_chains");

const nextSlot = (slot: string): string => slotOf(new Date(slotTime(slot).getTime() + SLOT_MS));

function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql`WHERE ${andConditions(conditions)}`;
}

/** A user of PostgreSQL who may read the records may lack the right to a table that was added later. */
async function isGranted(db: ReadDatabase, run: RunQuery): Promise<boolean> {
  if (db.dialect === "sqlite") return true;
  const [row] = await run(
    sql<{ may: boolean }>`SELECT has_table_privilege('caller_rollup', 'SELECT')
      AND has_table_privilege('caller_rollup_chains', 'SELECT') AS may`.compile(
      queryBuilder("postgres"),
    ),
  );
  return row?.may === true;
}
