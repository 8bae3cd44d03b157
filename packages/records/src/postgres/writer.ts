import { codeOf } from "@touchstone/util";
import type { BodySettings } from "../build.ts";
import { CHAIN_START, sealRecord, type UnsealedRecord } from "../chain.ts";
import { createCommitQueue } from "../commit-queue.ts";
import { ActivityError } from "../errors.ts";
import { idSkew } from "../ids.ts";
import type { ActivityLog, ActivityRecord } from "../record.ts";
import { RecordBuilder } from "../record-builder.ts";
import { COLUMNS, rowValues } from "../sql/rows.ts";
import type { ActivityStore } from "../store.ts";
import { storeFault } from "./faults.ts";
import type { ConnectionPool } from "./pool.ts";

const TYPES = { text: "text", json: "text", integer: "bigint", real: "double precision" };
const ARRAYS = COLUMNS.map(({ type }, at) => `$${at + 5}::${TYPES[type]}[]`).join(", ");
/** One statement is one transaction, and one round trip to the server. */
const APPEND = `WITH saved AS (
    INSERT INTO chains (chain, records, head, skew_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (chain) DO UPDATE SET records = excluded.records, head = excluded.head,
      skew_ms = greatest(chains.skew_ms, excluded.skew_ms))
  INSERT INTO activity (${COLUMNS.map(({ name }) => name).join(", ")}) SELECT * FROM unnest(${ARRAYS})`;

/** A standby server is read-only as well. */
const WRITABLE = `SELECT current_setting('transaction_read_only') = 'off'
  AND has_table_privilege('activity', 'INSERT') AS writable`;

const UNIQUE_VIOLATION = "23505";

/** A server that refuses a write does so at once; one that takes this long would delay every append. */
const HUNG_MS = 5_000;

interface Head {
  readonly records: number;
  readonly head: string;
}

/**
 * Appends records to one chain, as SQLite's writer does; the server flushes them before it responds.
 * @param options.lost called with the number of confirmed records that the server has lost
 */
export function createWriter(
  { pool, place }: ConnectionPool,
  options: {
    readonly chain: string;
    readonly now: () => Date;
    readonly bodies?: BodySettings | undefined;
    readonly group?: boolean | undefined;
    readonly lost?: ((records: number) => void) | undefined;
  },
): ActivityLog & Required<Pick<ActivityStore, "writable">> {
  const { chain, now, bodies, group = true, lost = () => {} } = options;
  /** The confirmed records. */
  let acknowledged: Head = { records: 0, head: CHAIN_START };
  /** Whether the server may have more records than it confirmed, because it has not responded. */
  let unsure = false;
  let told = 0;
  let closed = false;

  async function storedHead(): Promise<Head> {
    const sql = "SELECT records, head FROM chains WHERE chain = $1";
    const { rows } = await pool.query<Head>(sql, [chain]);
    return rows[0] ?? { records: 0, head: CHAIN_START };
  }

  /** Returns the record after which the next one is written. */
  async function currentHead(): Promise<Head> {
    if (!unsure) return acknowledged;
    const stored = await storedHead();
    const missing = acknowledged.records - stored.records;
    if (missing <= 0) return stored;
    // The server is another one, or has been reset to an older state. The gap must stay visible.
    if (told < acknowledged.records) lost(missing);
    told = acknowledged.records;
    return acknowledged;
  }

  async function commit(entries: readonly UnsealedRecord[]): Promise<readonly ActivityRecord[]> {
    try {
      return await writeBehindHead(entries);
    } catch (error) {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      // A statement that timed out has completed in the meantime, and these records follow it.
      return writeBehindHead(entries);
    }
  }

  async function writeBehindHead(
    entries: readonly UnsealedRecord[],
  ): Promise<readonly ActivityRecord[]> {
    let { records, head: hash } = await currentHead();
    unsure = true;
    const rows: (readonly unknown[])[] = [];
    const written: ActivityRecord[] = [];
    let skew = 0;
    for (const entry of entries) {
      const record = sealRecord(hash, entry);
      rows.push(rowValues(record, chain, records));
      written.push(record);
      skew = Math.max(skew, idSkew(record));
      records += 1;
      hash = record.hash;
    }
    const columns = COLUMNS.map((_, at) => rows.map((row) => row[at]));
    await pool.query(APPEND, [chain, records, hash, skew, ...columns]);
    acknowledged = { records, head: hash };
    unsure = false;
    return written;
  }

  const builder = new RecordBuilder(now, bodies);
  const queue = createCommitQueue({ group, write: commit, hungMs: HUNG_MS });
  return {
    async append(entries) {
      if (closed) throw new ActivityError("CLOSED", `The activity log on ${place} is closed.`);
      if (entries.length === 0) return [];
      try {
        return await new Promise((resolve, reject) => {
          builder.build(entries, (built) => resolve(queue.add(built)), reject);
        });
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async writable() {
      try {
        const { rows } = await pool.query<{ writable: boolean }>(WRITABLE);
        if (rows[0]?.writable !== true) throw new Error("it may only be read");
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async close() {
      closed = true;
      await builder.building;
      await queue.idle();
    },
  };
}
