import { type BodySettings, buildRecord } from "../build.ts";
import { CHAIN_START, seal, type UnsealedRecord } from "../chain.ts";
import { createCommitQueue } from "../commit-queue.ts";
import { ActivityError } from "../errors.ts";
import { idTime, nextId } from "../ids.ts";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "../record.ts";
import { type ActivityRow, COLUMNS, toRow } from "../sql/rows.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { writeFault } from "./faults.ts";
import { createTally } from "./tally.ts";

const INSERT = `INSERT INTO activity (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;
const SAVE_HEAD = `INSERT INTO chains (chain, records, head, skew_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records, head = excluded.head,
    skew_ms = max(skew_ms, excluded.skew_ms)`;

export interface WriterOptions {
  /** The database's path, for messages. */
  readonly path: string;
  /** Id of the chain that this writer alone appends to. */
  readonly chain: string;
  readonly now: () => Date;
  /** Absent where arguments and results are not kept. */
  readonly bodies?: BodySettings | undefined;
  /** Joins the appends of one turn of the event loop into one transaction; true by default. */
  readonly group?: boolean | undefined;
}

interface Head {
  readonly records: number;
  readonly head: string;
}

/**
 * Appends records to one chain over an open, migrated connection, which it leaves open. The appends
 * of one turn of the event loop, and those that come while another process is waited for, share a
 * transaction: its disk flush is paid once. The chain has the order of the calls.
 */
export function createWriter(db: Connection, options: WriterOptions): ActivityLog {
  const { path, chain, now, bodies, group = true } = options;
  const insert = db.prepare(INSERT);
  const selectHead = db.prepare("SELECT records, head FROM chains WHERE chain = ?");
  const saveHead = db.prepare(SAVE_HEAD);
  const count = createTally(db);
  let head: Head | undefined = { records: 0, head: CHAIN_START };

  function storedHead(): Head {
    const [row] = selectHead.all([chain]) as Head[];
    return row ?? { records: 0, head: CHAIN_START };
  }

  function commit(entries: readonly UnsealedRecord[]): readonly ActivityRecord[] {
    let last = head;
    // Unknown until COMMIT has answered: a failed one may or may not have reached the disk.
    head = undefined;
    const sealed = inTransaction(db, "IMMEDIATE", () => {
      let { records, head: hash } = last ?? storedHead();
      let skew = 0;
      const rows: ActivityRow[] = [];
      const written: ActivityRecord[] = [];
      for (const entry of entries) {
        const record = seal(hash, entry);
        const row = toRow(record, chain, records);
        insert.run(COLUMNS.map((column) => row[column]));
        skew = Math.max(skew, idTime(record.id) - Date.parse(record.time));
        records += 1;
        hash = record.hash;
        rows.push(row);
        written.push(record);
      }
      count(rows);
      saveHead.run([chain, records, hash, skew]);
      last = { records, head: hash };
      return written;
    });
    head = last;
    return sealed;
  }

  const queue = createCommitQueue({
    group,
    write: (entries) => whileBusy(path, () => commit(entries)),
  });
  let closed = false;

  return {
    async append(entries: readonly ActivityEntry[]) {
      if (closed) {
        throw new ActivityError("CLOSED", `The activity log on ${path} is closed.`);
      }
      if (entries.length === 0) {
        return [];
      }
      const time = now();
      const built = entries.map((entry) => buildRecord(entry, nextId(time), time, bodies));
      try {
        return await queue.add(built);
      } catch (error) {
        throw writeFault(error, path);
      }
    },

    async close() {
      closed = true;
      await queue.idle();
    },
  };
}
