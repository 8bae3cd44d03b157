import { CHAIN_START } from "../chain.ts";
import { idSkew } from "../ids.ts";
import type { ActivityRecord } from "../record.ts";
import { COLUMNS, rowValues } from "../sql/rows.ts";
import { type Connection, inTransaction } from "../sqlite/connection.ts";
import { sqliteCode } from "../sqlite/faults.ts";
import { prepareRows } from "../sqlite/row-statement.ts";
import { createTally } from "../sqlite/tally.ts";
import type { Batch } from "./batches.ts";
import { createPackedInsert, RejectedRows } from "./packed-insert.ts";

const NAMES = COLUMNS.map(({ name }) => name);
const INSERT = `INSERT INTO activity (${NAMES.join(", ")}) VALUES (${NAMES.map(() => "?").join(", ")})`;

const SAVE_HEAD = `INSERT INTO chains (chain, records, head, skew_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records, head = excluded.head,
    skew_ms = max(skew_ms, excluded.skew_ms)`;

interface Head {
  readonly records: number;
  readonly head: string;
}

/** Writes to the tables of records. */
export interface RecordTable {
  /**
   * Adds batches of one chain, in order and in one transaction, and skips records that already exist. Verification
   * checks their content. Anything that is not a record leaves a gap, which verification also finds.
   */
  add(chain: string, batches: readonly Batch[]): void;
}

/** Prepares writing records over an open, migrated connection. */
export function createRecordTable(db: Connection): RecordTable {
  const selectHead = prepareRows(db, "SELECT records, head FROM chains WHERE chain = ?");
  const saveHead = db.prepare(SAVE_HEAD);
  const insert = db.prepare(INSERT);
  const packed = createPackedInsert(db);
  const tally = createTally(db);

  function storedHead(chain: string): Head {
    const [row] = selectHead.all([chain]) as Head[];
    return row ?? { records: 0, head: CHAIN_START };
  }

  /**
   * Returns how long a record's id is after its time; undefined if the table rejects the record.
   * @param packs whether to insert it together with others
   */
  function insertOne(
    record: ActivityRecord,
    chain: string,
    seq: number,
    packs: boolean,
  ): number | undefined {
    try {
      const skew = typeof record.time === "string" ? idSkew(record) : Number.NaN;
      const values = rowValues(record, chain, seq);
      if (Number.isNaN(skew) || !values.every(isBindable)) return undefined;
      if (!packs || !packed.add(values)) {
        packed.flush();
        insert.run(values);
      }
      tally.add(record, record.time);
      return skew;
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  }

  function addAll(chain: string, batches: readonly Batch[], packs: boolean): void {
    let { records, head } = storedHead(chain);
    let mostSkew = 0;
    let added = 0;
    for (const { seq, records: batch } of batches) {
      if (seq < records) continue;
      records = seq + batch.length;
      for (const [i, record] of batch.entries()) {
        const skew = insertOne(record, chain, seq + i, packs);
        if (skew === undefined) continue;
        mostSkew = Math.max(mostSkew, skew);
        head = record.hash;
        added += 1;
      }
    }
    packed.flush();
    if (added === 0) return;
    tally.save();
    saveHead.run([chain, records, head, mostSkew]);
  }

  function attempt(chain: string, batches: readonly Batch[], packs: boolean): void {
    try {
      inTransaction(db, "IMMEDIATE", () => addAll(chain, batches, packs));
    } catch (error) {
      packed.reset();
      tally.reset();
      throw error;
    }
  }

  return {
    add(chain, batches) {
      try {
        attempt(chain, batches, true);
      } catch (error) {
        if (!(error instanceof RejectedRows)) throw error;
        // One by one, so that only the rejected record is left out.
        attempt(chain, batches, false);
      }
    },
  };
}

/** Converts a boolean: binding one ends the whole process, because libsql has no such value. */
function isBindable(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number";
}

/** Returns whether the error is about the record itself: a damaged journal must not block all others. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error.name === "ULIDError") return true;
  return /^SQLITE_(CONSTRAINT|MISMATCH)/.test(sqliteCode(error));
}
