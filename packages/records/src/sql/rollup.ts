import { isRecordId } from "../cursor.ts";
import { idTime } from "../ids.ts";
import { type Database, plainQuery } from "./database.ts";
import { addDurations, DURATION, type Durations, durationsText } from "./durations.ts";
import { hourOf } from "./hours.ts";
import type { Dialect } from "./tables.ts";

/** The columns by which the rollup counts the records of an hour. Absent and empty values are `""`. */
export const ROLLUP_COLUMNS = [
  "type",
  "server",
  "tool",
  "direction",
  "decision",
  "status",
  "rules",
] as const;
const KEY = ["hour", ...ROLLUP_COLUMNS] as const;
/**
 * How many records are rolled up in one transaction. Other processes wait for SQLite's only writer for a few
 * milliseconds.
 */
const STEP = 4_000;
/** How many chains are searched for such records. */
const CHAINS = 100;

type Cell = Readonly<Record<(typeof KEY)[number], string>> & {
  readonly records: number;
  readonly duration_ms: number;
  readonly durations: string | null;
};

/** A chain with records that are not counted yet. */
export interface Chain {
  readonly own: string;
  readonly appended: number;
  readonly pruned: number;
  readonly rolled: number;
}

/** The tables that store the position up to which each chain is counted. */
export type Positions = "rollup_chains" | "problem_chains" | "caller_rollup_chains";

/**
 * Returns SQL for the chains that have records which a table has not counted yet, and the position up to which it
 * has.
 */
export function uncountedChains(table: Positions): string {
  return `SELECT c.chain AS own, c.records AS appended, c.pruned, coalesce(r.records, 0) AS rolled
  FROM chains c LEFT JOIN ${table} r ON r.chain = c.chain WHERE c.records > coalesce(r.records, 0)`;
}

/** SQL for the chains that have records which are not rolled up, and the position up to which they are. */
export const UNROLLED_CHAINS_SQL: string = uncountedChains("rollup_chains");
const HOUR = "substr(time, 1, 13)";
/** SQL that counts the records in a range of a chain; `JOINED` is the text of their durations. */
export const ROLLUP_CELLS_SQL: string = `SELECT ${HOUR} AS hour, type, ${ROLLUP_COLUMNS.slice(1)
  .map((name) => `coalesce(${name}, '') AS ${name}`)
  .join(", ")},
    count(*) AS records, coalesce(sum(duration_ms), 0) AS duration_ms, JOINED AS durations
  FROM activity WHERE chain = $1 AND seq >= $2 AND seq < $3
  GROUP BY ${HOUR}, type, ${ROLLUP_COLUMNS.slice(1)
    .map((name) => `coalesce(${name}, '')`)
    .join(", ")}`;
const KNOWN = `SELECT durations FROM rollup
  WHERE ${KEY.map((name, at) => `${name} = $${at + 1}`).join(" AND ")}`;
const ADD = `INSERT INTO rollup (${KEY.join(", ")}, records, duration_ms, durations)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (${KEY.join(", ")}) DO UPDATE SET records = rollup.records + excluded.records,
    duration_ms = rollup.duration_ms + excluded.duration_ms,
    durations = CASE WHEN excluded.durations = '' THEN rollup.durations ELSE excluded.durations END`;

/** SQL that joins texts of all rows of a group. */
export function joinedTextSql(dialect: Dialect, text: string): string {
  return dialect === "sqlite" ? `group_concat(${text}, ' ')` : `string_agg(${text}, ' ')`;
}

/** Runs SQL for both databases, with the parameters `$1`, `$2`. */
export type Ask = <Row>(sql: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;

/** Records of a chain by their positions: from `from` up to, but not including, `to`. */
interface ChainRange {
  readonly chain: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Counts new records, up to some thousand of them. Each is counted once, whichever process wrote it, including builds
 * without the table of counts: the position up to which a chain is counted is in `positions`, which changes in the
 * same transaction as the counts, and the lock allows one process at a time. A chain only grows at its end, so the
 * position is the number of its counted records. If the process is killed during this, nothing has changed.
 *
 * @param chain only counts this chain
 * @param add adds the records of these ranges to the counts
 * @returns whether there may be more records
 */
export async function countInto(
  db: Database,
  positions: Positions,
  chain: string | undefined,
  add: (ask: Ask, ranges: readonly ChainRange[]) => Promise<void>,
): Promise<boolean> {
  const uncounted = uncountedChains(positions);
  if (chain === undefined) {
    const waiting = await db.read((run) => run(plainQuery(`${uncounted} LIMIT 1`)));
    if (waiting.length === 0) return false;
  }
  return db.write("rollup", async (run) => {
    // In SQLite, a parameter is a question mark followed by its number.
    const ask = <Row>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> =>
      run<Row>(plainQuery(db.dialect === "sqlite" ? sql.replaceAll("$", "?") : sql, parameters));
    const chains =
      chain === undefined
        ? await ask<Chain>(`${uncounted} ORDER BY c.chain LIMIT ${CHAINS}`)
        : await ask<Chain>(`${uncounted} AND c.chain = $1`, [chain]);
    const move = `INSERT INTO ${positions} (chain, records) VALUES ($1, $2)
      ON CONFLICT (chain) DO UPDATE SET records = excluded.records`;
    const ranges: ChainRange[] = [];
    let left = STEP;
    for (const { own, appended, pruned, rolled } of chains) {
      const from = Math.max(rolled, pruned);
      const to = Math.min(appended, from + left);
      ranges.push({ chain: own, from, to });
      await ask(move, [own, to]);
      left -= to - from;
      if (left <= 0) break;
    }
    await add(ask, ranges);
    return left <= 0 || chains.length === CHAINS;
  });
}

/** Adds new records to the rollup: {@link countInto}. */
export function rollUp(db: Database, chain?: string): Promise<boolean> {
  const select = ROLLUP_CELLS_SQL.replace("JOINED", joinedTextSql(db.dialect, DURATION));
  return countInto(db, "rollup_chains", chain, async (ask, ranges) => {
    const cells: Cell[] = [];
    for (const { chain: own, from, to } of ranges) {
      for (const cell of await ask<Cell>(select, [own, from, to])) cells.push(cell);
    }
    for (const cell of summed(cells)) {
      const key = KEY.map((name) => cell[name]);
      const durations: Durations = new Map();
      addDurations(durations, cell.durations);
      if (durations.size > 0) {
        for (const known of await ask<Pick<Cell, "durations">>(KNOWN, key)) {
          addDurations(durations, known.durations);
        }
      }
      await ask(ADD, [...key, cell.records, cell.duration_ms, durationsText(durations)]);
    }
  });
}

/** Returns the sum of the cells with the same key. */
function summed(cells: readonly Cell[]): readonly Cell[] {
  const sums = new Map<string, Cell>();
  for (const cell of cells) {
    const name = JSON.stringify(KEY.map((column) => cell[column]));
    const known = sums.get(name);
    sums.set(name, known === undefined ? cell : added(known, cell));
  }
  return [...sums.values()];
}

function added(one: Cell, other: Cell): Cell {
  const durations = [one.durations, other.durations].filter((text) => text !== null);
  return {
    ...one,
    records: one.records + other.records,
    duration_ms: one.duration_ms + other.duration_ms,
    durations: durations.length === 0 ? null : durations.join(" "),
  };
}

/**
 * SQL for the last id that retention has removed, over all chains. All removed records have this id or a smaller one.
 */
export const LAST_REMOVED_ID_SQL =
  "SELECT max(pruned_id) AS id FROM chains WHERE pruned_id IS NOT NULL";
const REMOVE = "DELETE FROM rollup WHERE hour <= ";

/** Removes the counts of the hours from which retention has removed records. `counts.ts` no longer uses them. */
export async function removeExpiredRollup(db: Database): Promise<void> {
  await db.write("rollup", async (run) => {
    const [removed] = await run<{ readonly id: string | null }>(plainQuery(LAST_REMOVED_ID_SQL));
    const id = removed?.id ?? null;
    if (id === null || !isRecordId(id)) return;
    const hour = hourOf(new Date(idTime(id)));
    await run(plainQuery(REMOVE + (db.dialect === "sqlite" ? "?" : "$1"), [hour]));
  });
}
