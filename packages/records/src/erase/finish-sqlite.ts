import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../sql/database.ts";
import { plainQuery } from "../sql/database.ts";
import { type Connection, retryWhileBusy } from "../sqlite/connection.ts";
import { wipeJournals } from "./journals.ts";

/** A larger file is not rewritten, because others would wait longer than their writes allow. */
const MOST_REWRITTEN = 268_435_456;
/** How long to wait for readers, whose snapshots keep the write-ahead log, in milliseconds. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/**
 * Overwrites erased records in the journals, rewrites the file so that unused space in its pages has no data of the
 * old rows, and empties the write-ahead log.
 * @returns a description of data that may remain, and what to do about it
 */
export async function finishErasure(
  db: Connection,
  database: Database,
  isErased: (record: unknown) => boolean,
): Promise<readonly string[]> {
  const { place: path } = database;
  const chains = await database.read((run) =>
    run<{ chain: string; records: number }>(plainQuery("SELECT chain, records FROM chains")),
  );
  await wipeJournals(path, new Map(chains.map((of) => [of.chain, of.records])), isErased);
  const remains: string[] = [];
  if (statSync(path).size <= MOST_REWRITTEN) {
    await retryWhileBusy(path, () => db.exec("VACUUM"));
  } else {
    remains.push(
      `${path} is larger than ${MOST_REWRITTEN / 1_048_576} MiB, so its unused places were not rewritten: what earlier ` +
        "releases deleted may still be there. Stop all gateways, and run: sqlite3 activity.db VACUUM",
    );
  }
  if (!(await emptied(db, path))) {
    remains.push(
      `${path}-wal may still have old rows, because another process reads an earlier state. Run the command again`,
    );
  }
  return remains;
}

/** Empties the write-ahead log. Returns whether no other process prevented that. */
async function emptied(db: Connection, path: string): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
    const [row] = await retryWhileBusy(
      path,
      () => db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([]) as { busy: number }[],
    );
    if (row?.busy === 0) return true;
    if (performance.now() >= deadline) return false;
    await pause(PAUSE_MS);
  }
}
