import { CHAIN_START } from "../chain.ts";
import { idSkew } from "../ids.ts";
import type { ActivityRecord } from "../record.ts";
import { type Connection, inTransaction } from "../sqlite/connection.ts";
import { prepareRows } from "../sqlite/row-statement.ts";
import { createTally } from "../sqlite/tally.ts";
import type { Batch } from "./batches.ts";
import { recordOf } from "./known-record.ts";
import { createPackedInsert } from "./packed-insert.ts";
import { createSingleInsert, isRefused } from "./single-insert.ts";

const SAVE_HEAD = `INSERT INTO chains (chain, records, head, skew_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records, head = excluded.head,
    skew_ms = max(skew_ms, excluded.skew_ms)`;

/** The characters of an id that tell its moment. */
const ID_TIME_LENGTH = 10;

interface Head {
  readonly records: number;
  readonly head: string;
}

/** The tables that hold records, for a writer. */
export interface RecordTable {
  /**
   * Adds batches of one chain, in order and in one transaction, and leaves out those that are there
   * already. What stands in them is not judged here: verification finds it. What is no record at all
   * leaves a gap, which verification finds as well.
   */
  add(chain: string, batches: readonly Batch[]): void;
}

/** Prepares the writing of records over an open, migrated connection. */
export function createRecordTable(db: Connection): RecordTable {
  const selectHead = prepareRows(db, "SELECT records, head FROM chains WHERE chain = ?");
  const saveHead = db.prepare(SAVE_HEAD);
  const tally = createTally(db);
  const packed = createPackedInsert(db);
  const insert = createSingleInsert(db);

  function storedHead(chain: string): Head {
    const [row] = selectHead.all([chain]) as Head[];
    return row ?? { records: 0, head: CHAIN_START };
  }

  /** @param singly inserts those of known kinds one by one as well, and leaves out what is refused */
  function addAll(chain: string, batches: readonly Batch[], singly: boolean): void {
    let { records, head } = storedHead(chain);
    const skew = createSkew();
    let added = 0;
    for (const { seq, records: batch } of batches) {
      if (seq < records) continue;
      records = seq + batch.length;
      for (const [i, record] of batch.entries()) {
        if (record.kind !== undefined && !singly) {
          packed.add(record, chain, seq + i);
          tally.add(record.kind, record.time);
          skew.add(record);
          head = record.hash;
          added += 1;
          continue;
        }
        const whole = record.kind === undefined ? record.parsed : recordOf(record);
        packed.flush();
        if (!insert(whole, chain, seq + i)) continue;
        tally.add(whole, whole.time);
        skew.add(whole);
        head = whole.hash;
        added += 1;
      }
    }
    packed.flush();
    if (added === 0) return;
    tally.save();
    saveHead.run([chain, records, head, skew.most]);
  }

  function attempt(chain: string, batches: readonly Batch[], singly: boolean): void {
    try {
      inTransaction(db, "IMMEDIATE", () => addAll(chain, batches, singly));
    } catch (error) {
      packed.reset();
      tally.reset();
      throw error;
    }
  }

  return {
    add(chain, batches) {
      try {
        attempt(chain, batches, false);
      } catch (error) {
        if (!isRefused(error)) throw error;
        attempt(chain, batches, true);
      }
    },
  };
}

interface Skew {
  /** The most milliseconds by which an id's moment lay after its record's time. */
  readonly most: number;
  /** @throws TypeError where one of the moments is none */
  add(record: Pick<ActivityRecord, "id" | "time">): void;
}

function createSkew(): Skew {
  let most = 0;
  let [lastStart, lastTime] = ["", ""];
  return {
    get most() {
      return most;
    },
    add({ id, time }) {
      // The next record mostly has the same ones.
      if (time === lastTime && id.startsWith(lastStart)) return;
      lastTime = time;
      lastStart = id.slice(0, ID_TIME_LENGTH);
      const skew = idSkew({ id, time });
      if (Number.isNaN(skew)) throw new TypeError(`${time} is no moment`);
      most = Math.max(most, skew);
    },
  };
}
