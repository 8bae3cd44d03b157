import { setImmediate as turn } from "node:timers/promises";
import { plainQuery, type ReadDatabase, type RunQuery } from "../database.ts";
import type { CanReadTables, KeptCheck } from "../kept-part.ts";
import { LAST_REMOVED_ID_SQL } from "../rollup.ts";
import { shownText } from "../shown-text.ts";
import { CALLER_CELLS, CALLER_COUNTS, CALLER_KEY, type CallerCell, cutSlot } from "./rollup.ts";

/** How many records are counted at a time: on SQLite, each statement blocks the event loop until it ends. */
const STEP = 4_000;
/** How many cells are compared at a time. */
const PAGE = 2_000;
const COLUMNS = [...CALLER_KEY, ...CALLER_COUNTS, "first", "last"].join(", ");
const AGAIN =
  "Delete all rows of caller_rollup and caller_rollup_chains: a gateway counts them again";

interface Sum {
  readonly counts: number[];
  first: string;
  last: string;
}

/**
 * Compares table `caller_rollup` with a recount of the calls that it includes according to `caller_rollup_chains`.
 * Slots from which retention has removed records are not read, and not compared.
 */
export async function checkCallers(
  db: ReadDatabase,
  run: RunQuery,
  may: CanReadTables,
): Promise<KeptCheck> {
  if (!may(["caller_rollup", "caller_rollup_chains"])) return { faults: [] };
  const ask = <Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> =>
    run<Row>(plainQuery(db.dialect === "sqlite" ? text.replaceAll("$", "?") : text, parameters));
  const faults: string[] = [];
  const removed = (await ask<{ id: string | null }>(LAST_REMOVED_ID_SQL))[0]?.id ?? null;
  const cut = cutSlot(removed) ?? "";
  const wanted = new Map<string, Sum>();
  const chains = await ask<{
    chain: string;
    records: number;
    pruned: number;
    appended: number | null;
  }>(
    `SELECT r.chain AS chain, r.records AS records, coalesce(c.pruned, 0) AS pruned, c.records AS appended
     FROM caller_rollup_chains r LEFT JOIN chains c ON c.chain = r.chain ORDER BY r.chain`,
  );
  for (const { chain, records, pruned, appended } of chains) {
    if (appended === null || records > appended || records < 0) {
      faults.push(
        `table caller_rollup_chains: the row of chain ${shownText(chain)} counts ${records} records of ${appended ?? 0}. ${AGAIN}`,
      );
      continue;
    }
    for (let at = pruned; at < records; at += STEP) {
      const to = Math.min(records, at + STEP);
      for (const cell of await ask<CallerCell>(CALLER_CELLS, [chain, at, to])) {
        if (cell.slot > cut) add(wanted, cell);
      }
      await turn();
    }
  }
  let wrong = 0;
  // Uses an offset instead of the last key: a damaged text may be read as another one.
  for (let at = 0; ; at += PAGE) {
    const page = await ask<CallerCell>(
      `SELECT ${COLUMNS} FROM caller_rollup ORDER BY ${CALLER_KEY.join(", ")} LIMIT ${PAGE} OFFSET ${at}`,
    );
    for (const cell of page) {
      if (cell.slot <= cut) continue;
      const key = keyOf(cell);
      const sum = wanted.get(key);
      wanted.delete(key);
      const counts = CALLER_COUNTS.map((name) => Number(cell[name]));
      const isEven =
        sum !== undefined &&
        sum.first === cell.first &&
        sum.last === cell.last &&
        sum.counts.every((count, index) => count === counts[index]);
      if (!isEven) wrong += 1;
    }
    if (page.length < PAGE) break;
    await turn();
  }
  wrong += wanted.size;
  if (wrong > 0) {
    faults.push(
      `table caller_rollup: ${wrong === 1 ? "a count is" : `${wrong} counts are`} not those of the records: the pages ` +
        `Sessions and Callers are wrong there. ${AGAIN}`,
    );
  }
  return { faults };
}

const keyOf = (cell: CallerCell): string => JSON.stringify(CALLER_KEY.map((name) => cell[name]));

function add(sums: Map<string, Sum>, cell: CallerCell): void {
  const key = keyOf(cell);
  const counts = CALLER_COUNTS.map((name) => Number(cell[name]));
  const known = sums.get(key);
  if (known === undefined) {
    sums.set(key, { counts, first: cell.first, last: cell.last });
    return;
  }
  for (const [index, count] of counts.entries())
    known.counts[index] = (known.counts[index] ?? 0) + count;
  if (cell.first < known.first) known.first = cell.first;
  if (cell.last > known.last) known.last = cell.last;
}
