import { buildRecord } from "../build.ts";
import { CHAIN_START, seal, type UnsealedRecord } from "../chain.ts";
import { ActivityError } from "../errors.ts";
import { nextId } from "../ids.ts";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "../record.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { writeFault } from "./faults.ts";
import { type ActivityRow, toRow } from "./rows.ts";

const COLUMNS = [
  "id",
  "time",
  "type",
  "source",
  "server",
  "tool",
  "direction",
  "mode",
  "decision",
  "status",
  "outcome",
  "reason",
  "issues",
  "guard",
  "schema_hash",
  "client",
  "session",
  "request_id",
  "bytes_in",
  "bytes_out",
  "duration_ms",
  "prev_hash",
  "hash",
  "chain",
  "seq",
] as const satisfies readonly (keyof ActivityRow)[];

const INSERT = `INSERT INTO activity (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;

export interface WriterOptions {
  /** The database's path, for messages. */
  readonly path: string;
  /** Id of the chain that this writer alone appends to. */
  readonly chain: string;
  readonly now: () => Date;
}

interface Head {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Appends records to one chain over an open, migrated connection, which it leaves open. Appends
 * queue up behind one that waits for another process, so the chain has the order of the calls.
 */
export function createWriter(db: Connection, { path, chain, now }: WriterOptions): ActivityLog {
  const insert = db.prepare(INSERT);
  const selectHead = db.prepare(
    "SELECT seq, hash FROM activity WHERE chain = ? ORDER BY seq DESC LIMIT 1",
  );
  let head: Head | undefined = { seq: -1, hash: CHAIN_START };
  let queue: Promise<unknown> = Promise.resolve();
  let closed = false;

  function storedHead(): Head {
    const [row] = selectHead.all([chain]) as Head[];
    return row ?? { seq: -1, hash: CHAIN_START };
  }

  function commit(entries: readonly UnsealedRecord[]): readonly ActivityRecord[] {
    let last = head;
    // Unknown until COMMIT has answered: a failed one may or may not have reached the disk.
    head = undefined;
    const records = inTransaction(db, "IMMEDIATE", () => {
      last ??= storedHead();
      const sealed: ActivityRecord[] = [];
      for (const entry of entries) {
        const record = seal(last.hash, entry);
        last = { seq: last.seq + 1, hash: record.hash };
        const row = toRow(record, chain, last.seq);
        insert.run(COLUMNS.map((column) => row[column]));
        sealed.push(record);
      }
      return sealed;
    });
    head = last;
    return records;
  }

  return {
    async append(entries: readonly ActivityEntry[]) {
      if (closed) {
        throw new ActivityError("CLOSED", `The activity log on ${path} is closed.`);
      }
      if (entries.length === 0) {
        return [];
      }
      const time = now();
      const built = entries.map((entry) => buildRecord(entry, nextId(time), time));
      const written = queue.then(() => whileBusy(path, () => commit(built)));
      queue = written.catch(() => undefined);
      try {
        return await written;
      } catch (error) {
        throw writeFault(error, path);
      }
    },

    async close() {
      closed = true;
      await queue;
    },
  };
}
