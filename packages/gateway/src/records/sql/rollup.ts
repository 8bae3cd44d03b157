import { isRecordId } from "../cursor.ts";
import { idTime } from "../ids.ts";
import { type Database, plainQuery } from "./database.ts";
import { addDurations, DURATION, type Durations, durationsText } from "./durations.ts";
import { hourOf } from "./hours.ts";
import type { Dialect } from "./tables.ts";

/** By what the rollup counts the records of an hour. What is absent, or empty, is `""` there. */
export const ROLLED = [
  "type",
  "server",
  "tool",
  "direction",
  "decision",
  "status",
  "rules",
] as const;
const KEY = ["hour", ...ROLLED] as const;
/** Records that are rolled up in one transaction. Those who wait for SQLite's only writer do so for some milliseconds. */
const STEP = 4_000;
/** Chains that are looked at for them. */
const CHAINS = 100;

type Cell = Readonly<Record<(typeof KEY)[number], string>> & {
  readonly records: number;
  readonly duration_ms: number;
  readonly durations: string | null;
};

interface Chain {
  readonly own: string;
  readonly appended: number;
  readonly pruned: number;
  readonly rolled: number;
}

/** SQL for the chains that have records which are not rolled up, and up to where they are. */
export const UNROLLED = `SELECT c.chain AS own, c.records AS appended, c.pruned,
  coalesce(r.records, 0) AS rolled
  FROM chains c LEFT JOIN rollup_chains r ON r.chain = c.chain WHERE c.records > coalesce(r.records, 0)`;
const HOUR = "substr(time, 1, 13)";
/** SQL for the records of a range of a chain, added up; `JOINED` is the text of their durations. */
export const CELLS: string = `SELECT ${HOUR} AS hour, type, ${ROLLED.slice(1)
  .map((name) => `coalesce(${name}, '') AS ${name}`)
  .join(", ")},
    count(*) AS records, coalesce(sum(duration_ms), 0) AS duration_ms, JOINED AS durations
  FROM activity WHERE chain = $1 AND seq >= $2 AND seq < $3
  GROUP BY ${HOUR}, type, ${ROLLED.slice(1)
    .map((name) => `coalesce(${name}, '')`)
    .join(", ")}`;
const KNOWN = `SELECT durations FROM rollup
  WHERE ${KEY.map((name, at) => `${name} = $${at + 1}`).join(" AND ")}`;
const ADD = `INSERT INTO rollup (${KEY.join(", ")}, records, duration_ms, durations)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (${KEY.join(", ")}) DO UPDATE SET records = rollup.records + excluded.records,
    duration_ms = rollup.duration_ms + excluded.duration_ms, durations = excluded.durations`;
const MOVE = `INSERT INTO rollup_chains (chain, records) VALUES ($1, $2)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records`;

/** SQL that joins texts of all rows of a group. */
export function joinedText(dialect: Dialect, text: string): string {
  return dialect === "sqlite" ? `group_concat(${text}, ' ')` : `string_agg(${text}, ' ')`;
}

/**
 * Adds records that came since the last time to the rollup, up to some thousand of them. Each is added once,
 * whoever wrote it, also a build that knows nothing of the rollup: how far a chain is rolled up stands in
 * `rollup_chains`, which changes in the same transaction as the rollup, and the lock lets one process at a time do
 * both. A chain only grows at its end, so what is kept is the number of its records. Killed in the middle, nothing has
 * happened.
 *
 * @param chain rolls up this one only
 * @returns whether there may be more
 */
export async function rollUp(db: Database, chain?: string): Promise<boolean> {
  if (chain === undefined) {
    const waiting = await db.read((run) => run(plainQuery(`${UNROLLED} LIMIT 1`)));
    if (waiting.length === 0) return false;
  }
  return db.write("rollup", async (run) => {
    // Of SQLite's parameters, the number follows a question mark.
    const ask = <Row>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> =>
      run<Row>(plainQuery(db.dialect === "sqlite" ? sql.replaceAll("$", "?") : sql, parameters));
    const chains =
      chain === undefined
        ? await ask<Chain>(`${UNROLLED} ORDER BY c.chain LIMIT ${CHAINS}`)
        : await ask<Chain>(`${UNROLLED} AND c.chain = $1`, [chain]);
    const select = CELLS.replace("JOINED", joinedText(db.dialect, DURATION));
    const cells: Cell[] = [];
    let left = STEP;
    for (const { own, appended, pruned, rolled } of chains) {
      const from = Math.max(rolled, pruned);
      const to = Math.min(appended, from + left);
      for (const cell of await ask<Cell>(select, [own, from, to])) cells.push(cell);
      await ask(MOVE, [own, to]);
      left -= to - from;
      if (left <= 0) break;
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
    return left <= 0 || chains.length === CHAINS;
  });
}

/** Returns each cell once. */
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

/** SQL for the last id that retention has removed, of all chains. All removed records have this id or a lesser one. */
export const REMOVED = "SELECT max(pruned_id) AS id FROM chains WHERE pruned_id IS NOT NULL";
const REMOVE = "DELETE FROM rollup WHERE hour <= ";

/** Removes the counts of the hours from which retention has removed records. `counts.ts` uses them no more. */
export async function removeRolled(db: Database): Promise<void> {
  await db.write("rollup", async (run) => {
    const [removed] = await run<{ readonly id: string | null }>(plainQuery(REMOVED));
    const id = removed?.id ?? null;
    if (id === null || !isRecordId(id)) return;
    const hour = hourOf(new Date(idTime(id)));
    await run(plainQuery(REMOVE + (db.dialect === "sqlite" ? "?" : "$1"), [hour]));
  });
}
