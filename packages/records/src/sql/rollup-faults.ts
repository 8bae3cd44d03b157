import { setImmediate as turn } from "node:timers/promises";
import { isRecordId } from "../cursor.ts";
import { idTime } from "../ids.ts";
import { plainQuery, type ReadDatabase, type RunQuery } from "./database.ts";
import { addDurations, DURATION, type Durations } from "./durations.ts";
import { hourOf } from "./hours.ts";
import { joinedTextSql, LAST_REMOVED_ID_SQL, ROLLUP_CELLS_SQL, ROLLUP_COLUMNS } from "./rollup.ts";

/** How many records are counted at a time: on SQLite, each statement blocks the event loop until it ends. */
const STEP = 4_000;
/** How many cells are compared at a time. */
const PAGE = 2_000;
const KEY = ["hour", ...ROLLUP_COLUMNS] as const;
/** Sums of durations may differ slightly, because they are added in another order. */
const ROUNDING = 1e-9;

type Cell = Readonly<Record<(typeof KEY)[number], string>> & {
  readonly records: number;
  readonly duration_ms: number;
  readonly durations: string | null;
};

interface Sum {
  records: number;
  duration: number;
  /** The sum that `duration` is compared with, for the rounding error. */
  most: number;
  readonly durations: Durations;
}

/**
 * Compares table `rollup` with a recount of the records that it includes according to `rollup_chains`. Hours from
 * which retention has removed records are no longer used, and not compared.
 */
export async function rollupFaults(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  const ask = <Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> =>
    run<Row>(plainQuery(db.dialect === "sqlite" ? text.replaceAll("$", "?") : text, parameters));
  const faults: string[] = [];
  const removed = (await ask<{ id: string | null }>(LAST_REMOVED_ID_SQL))[0]?.id ?? null;
  const from = removed !== null && isRecordId(removed) ? hourOf(new Date(idTime(removed))) : "";
  const left = new Map<string, Sum>();
  const add = (cell: Cell, sign: 1 | -1): void => {
    if (cell.hour <= from) return;
    const key = JSON.stringify(KEY.map((name) => cell[name]));
    const sum = left.get(key) ?? { records: 0, duration: 0, most: 0, durations: new Map() };
    left.set(key, sum);
    sum.records += sign * Number(cell.records);
    sum.duration += sign * cell.duration_ms;
    sum.most = Math.max(sum.most, Math.abs(cell.duration_ms));
    const durations: Durations = new Map();
    addDurations(durations, cell.durations);
    if (!isWellFormed(cell.durations)) sum.records = Number.NaN;
    for (const [bucket, count] of durations) {
      sum.durations.set(bucket, (sum.durations.get(bucket) ?? 0) + sign * count);
    }
  };
  const select = ROLLUP_CELLS_SQL.replace("JOINED", joinedTextSql(db.dialect, DURATION));
  const chains = await ask<{
    chain: string;
    records: number;
    pruned: number;
    appended: number | null;
  }>(
    `SELECT r.chain AS chain, r.records AS records, coalesce(c.pruned, 0) AS pruned, c.records AS appended
     FROM rollup_chains r LEFT JOIN chains c ON c.chain = r.chain ORDER BY r.chain`,
  );
  for (const { chain, records, pruned, appended } of chains) {
    if (appended === null || records > appended || records < 0) {
      faults.push(
        `table rollup_chains: the row of chain ${JSON.stringify(chain.slice(0, 64))} counts ${records} records of ${appended ?? 0}. ${AGAIN}`,
      );
      continue;
    }
    for (let at = pruned; at < records; at += STEP) {
      for (const cell of await ask<Cell>(select, [chain, at, Math.min(records, at + STEP)]))
        add(cell, 1);
      await turn();
    }
  }
  for await (const cell of rolled(ask)) add(cell, -1);
  const wrong = [...left].filter(([, sum]) => !isEven(sum)).map(([key]) => key);
  const [first] = wrong;
  if (first !== undefined) {
    const [hour, ...kind] = JSON.parse(first) as readonly string[];
    const named = kind
      .filter((part) => part !== "")
      .map((part) => JSON.stringify(part.slice(0, 100)));
    faults.push(
      `table rollup: ${wrong.length === 1 ? "a count is" : `${wrong.length} counts are`} not those of the records, the ` +
        `first for ${hour} (${named.join(", ")}): the overview is wrong there. ${AGAIN}`,
    );
  }
  return faults;
}

const AGAIN = "Delete all rows of rollup and rollup_chains: a gateway counts them again";

function isEven({ records, duration, most, durations }: Sum): boolean {
  return (
    records === 0 &&
    Math.abs(duration) <= ROUNDING * Math.max(1, most) &&
    [...durations.values()].every((count) => count === 0)
  );
}

function isWellFormed(durations: string | null): boolean {
  return (durations ?? "") === "" || /^-?\d+:\d+(?: -?\d+:\d+)*$/.test(durations ?? "");
}

async function* rolled(
  ask: <Row>(text: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>,
): AsyncGenerator<Cell> {
  const columns = [...KEY, "records", "duration_ms", "durations"].join(", ");
  // Uses an offset instead of the last key: a damaged text may be read as another one.
  for (let at = 0; ; at += PAGE) {
    const page = await ask<Cell>(
      `SELECT ${columns} FROM rollup ORDER BY ${KEY.join(", ")} LIMIT ${PAGE} OFFSET ${at}`,
    );
    yield* page;
    if (page.length < PAGE) return;
    await turn();
  }
}
