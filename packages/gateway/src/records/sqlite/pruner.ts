import { setTimeout as pause } from "node:timers/promises";
import { firstIdAt } from "../ids.ts";
import { createFolder } from "../journal/fold.ts";
import type { ActivityRow } from "../sql/rows.ts";
import type { ActivityPruner, Retention } from "../store.ts";
import { type Connection, connect, inTransaction, whileBusy } from "./connection.ts";
import { createContractSweep } from "./contract-sweep.ts";
import { readFault, writeFault } from "./faults.ts";
import { prepareRows, type RowStatement } from "./row-statement.ts";

/** Records removed in one transaction: others wait for no more than a few milliseconds. */
const STEP = 100;
/** What others have for themselves between two steps. */
const PAUSE_MS = 15;

type Old = Pick<ActivityRow, "id" | "hash" | "chain" | "seq"> & { readonly row: number };

/**
 * Removes old records, and lists of tools that nobody uses, over a connection of its own, which it closes. The
 * place in the file that they leave is used again; the file itself does not shrink.
 *
 * @throws ActivityError where the database cannot be opened
 */
export function openPruner(path: string, now: () => Date = () => new Date()): ActivityPruner {
  const db = connect(path, "write");
  try {
    return createPruner(db, path, now);
  } catch (error) {
    db.close();
    throw readFault(error, path);
  }
}

function createPruner(db: Connection, path: string, now: () => Date): ActivityPruner {
  // What comes back after a loss of power is removed again; a flush for each step would hold up others.
  db.exec("PRAGMA synchronous = NORMAL");
  const step = createStep(db);
  const folder = createFolder(path);
  const sweep = createContractSweep(db, path);
  return {
    async prune(retention, { signal } = {}) {
      let removed = 0;
      try {
        await folder.fold();
        const bound = await whileBusy(path, () => boundOf(db, retention, now()));
        while (signal?.aborted !== true) {
          const count = await whileBusy(path, () => step(bound, retention));
          removed += count;
          if (count === 0) break;
          await pause(PAUSE_MS);
        }
        await sweep.old(now(), signal);
      } catch (error) {
        throw writeFault(error, path);
      }
      return { removed };
    },
    async close() {
      folder.close();
      db.close();
    },
  };
}

/** Gives what removes up to {@link STEP} records: those below the bound, or the oldest of a file that is too large. */
function createStep(db: Connection): (bound: string, retention: Retention) => number {
  const tooLarge = createExcess(db);
  const oldest = prepareRows(
    db,
    "SELECT rowid AS row, id, hash, chain, seq FROM activity WHERE id < ? ORDER BY id LIMIT ?",
  );
  // By the row: a chain that was damaged would never be found, and never go.
  const remove = db.prepare("DELETE FROM activity WHERE rowid = ?");
  const anchor = db.prepare(
    "UPDATE chains SET pruned = ?, pruned_id = ?, pruned_hash = ? WHERE chain = ? AND pruned < ?",
  );

  return (bound, retention) => {
    const below = oldest.all([bound, 1]).length > 0;
    const [until, limit] = below ? [bound, STEP] : [LAST_ID, Math.min(STEP, tooLarge(retention))];
    if (limit === 0) return 0;
    return inTransaction(db, "IMMEDIATE", () => {
      const rows = oldest.all([until, limit]) as Old[];
      for (const { row } of rows) remove.run([row]);
      for (const { chain, seq, id, hash } of lastOfEach(rows)) {
        anchor.run([seq + 1, id, hash, chain, seq + 1]);
      }
      return rows.length;
    });
  };
}

/** Sorts after every id. */
const LAST_ID = "~";

/**
 * The id of the oldest record that stays, by age and number: what comes while others are removed is not
 * counted, so that pruning ends however much that is.
 */
function boundOf(db: Connection, { maxAgeMs, maxRecords }: Retention, now: Date): string {
  const byAge = maxAgeMs === undefined ? "" : firstIdAt(now.getTime() - maxAgeMs);
  const byNumber = maxRecords === undefined ? "" : oldestOf(db, maxRecords);
  return byAge > byNumber ? byAge : byNumber;
}

/** The id of the oldest of the newest `keep` records, or what sorts behind all that are there. */
function oldestOf(db: Connection, keep: number): string {
  const at = prepareRows(db, "SELECT id FROM activity ORDER BY id LIMIT 1 OFFSET ?");
  const newest = prepareRows(db, "SELECT id FROM activity ORDER BY id DESC LIMIT 1");
  // One snapshot: another process may remove records between the count and the place.
  return inTransaction(db, "DEFERRED", () => {
    const excess = countRecords(db) - keep;
    if (excess <= 0) return "";
    const [row] = (keep > 0 ? at.all([excess]) : newest.all([])) as Pick<Old, "id">[];
    if (row === undefined) return "";
    return keep > 0 ? row.id : `${row.id}${LAST_ID}`;
  });
}

function countRecords(db: Connection): number {
  const total = "SELECT coalesce(sum(records), 0) AS n FROM tally WHERE hour = ''";
  return countOf(prepareRows(db, total));
}

/** Tells how many records may go from a file that is too large. */
function createExcess(db: Connection): (retention: Retention) => number {
  const bytes = prepareRows(
    db,
    `SELECT (page_count - freelist_count) * page_size AS n
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  return ({ maxBytes }) => {
    if (maxBytes === undefined || countOf(bytes) <= maxBytes) return 0;
    // At least one remains: the file is never smaller than its empty tables.
    return Math.max(0, countRecords(db) - 1);
  };
}

function countOf(statement: RowStatement): number {
  const [row] = statement.all([]) as { n: number }[];
  return row?.n ?? 0;
}

function lastOfEach(rows: readonly Old[]): readonly Old[] {
  const last = new Map<string, Old>();
  for (const row of rows) {
    const known = last.get(row.chain);
    if (known === undefined || known.seq < row.seq) last.set(row.chain, row);
  }
  return [...last.values()];
}
