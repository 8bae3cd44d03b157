import { setTimeout as pause } from "node:timers/promises";
import { firstIdAt } from "../ids.ts";
import { createFolder } from "../journal/fold.ts";
import type { ActivityRow } from "../sql/rows.ts";
import type { ActivityPruner, Retention } from "../store.ts";
import { type Connection, connect, inTransaction, whileBusy } from "./connection.ts";
import { writeFault } from "./faults.ts";

/** Records removed in one transaction: others wait for no more than a few milliseconds. */
const STEP = 100;
/** What others have for themselves between two steps. */
const PAUSE_MS = 15;

type Old = Pick<ActivityRow, "id" | "hash" | "chain" | "seq">;

/**
 * Removes old records over a connection of its own, which it closes. The place in the file that they
 * leave is used again; the file itself does not shrink.
 *
 * @throws ActivityError where the database cannot be opened
 */
export function openPruner(path: string, now: () => Date = () => new Date()): ActivityPruner {
  const db = connect(path, "write");
  // What comes back after a loss of power is removed again; a flush for each step would hold up others.
  db.exec("PRAGMA synchronous = NORMAL");
  const step = createStep(db);
  const folder = createFolder(path);
  return {
    async prune(retention, { signal } = {}) {
      let removed = 0;
      try {
        await folder.fold();
        while (signal?.aborted !== true) {
          const count = await whileBusy(path, () => step(retention, now()));
          removed += count;
          if (count === 0) break;
          await pause(PAUSE_MS);
        }
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

/** Removes the records that are too old or too many, up to {@link STEP} of them. */
function createStep(db: Connection): (retention: Retention, now: Date) => number {
  const tooMany = createCount(db);
  const oldest = db.prepare(
    "SELECT id, hash, chain, seq FROM activity WHERE id < ? ORDER BY id LIMIT ?",
  );
  const remove = db.prepare("DELETE FROM activity WHERE chain = ? AND seq = ?");
  const anchor = db.prepare(
    "UPDATE chains SET pruned = ?, pruned_id = ?, pruned_hash = ? WHERE chain = ? AND pruned < ?",
  );

  return (retention, now) => {
    const limit = Math.min(STEP, tooMany(retention));
    const before = retention.maxAgeMs === undefined ? 0 : now.getTime() - retention.maxAgeMs;
    const bound = limit > 0 ? LAST_ID : firstIdAt(before);
    if ((oldest.all([bound, 1]) as Old[]).length === 0) return 0;
    return inTransaction(db, "IMMEDIATE", () => {
      const rows = oldest.all([bound, limit > 0 ? limit : STEP]) as Old[];
      for (const { chain, seq } of rows) remove.run([chain, seq]);
      for (const { chain, seq, id, hash } of lastOfEach(rows)) {
        anchor.run([seq + 1, id, hash, chain, seq + 1]);
      }
      return rows.length;
    });
  };
}

/** Sorts after every id. */
const LAST_ID = "~";

/** Tells how many records there are too many, by number or by size. */
function createCount(db: Connection): (retention: Retention) => number {
  const records = db.prepare("SELECT coalesce(sum(records), 0) AS n FROM tally WHERE hour = ''");
  const bytes = db.prepare(
    `SELECT (page_count - freelist_count) * page_size AS n
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  const one = (statement: typeof records): number => {
    const [row] = statement.all([]) as { n: number }[];
    return row?.n ?? 0;
  };
  return ({ maxRecords, maxBytes }) => {
    const excess = maxRecords === undefined ? 0 : one(records) - maxRecords;
    if (maxBytes === undefined || one(bytes) <= maxBytes) return Math.max(0, excess);
    // At least one remains: the file is never smaller than its empty tables.
    return Math.max(0, excess, Math.min(STEP, one(records) - 1));
  };
}

function lastOfEach(rows: readonly Old[]): readonly Old[] {
  const last = new Map<string, Old>();
  for (const row of rows) {
    const known = last.get(row.chain);
    if (known === undefined || known.seq < row.seq) last.set(row.chain, row);
  }
  return [...last.values()];
}
