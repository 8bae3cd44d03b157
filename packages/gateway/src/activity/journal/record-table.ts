import type { GuardTrip, Issue } from "@touchstone/core";
import { CHAIN_START } from "../chain.ts";
import { idTime } from "../ids.ts";
import type { ActivityRecord } from "../record.ts";
import { type ActivityRow, COLUMNS, rulesOf } from "../sql/rows.ts";
import { type Connection, inTransaction } from "../sqlite/connection.ts";
import { createTally } from "../sqlite/tally.ts";
import type { Batch } from "./batches.ts";

const SAVE_HEAD = `INSERT INTO chains (chain, records, head, skew_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (chain) DO UPDATE SET records = excluded.records, head = excluded.head,
    skew_ms = max(skew_ms, excluded.skew_ms)`;

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
  const selectHead = db.prepare("SELECT records, head FROM chains WHERE chain = ?");
  const saveHead = db.prepare(SAVE_HEAD);
  const count = createTally(db);
  const insert = createInsert(db);

  function storedHead(chain: string): Head {
    const [row] = selectHead.all([chain]) as Head[];
    return row ?? { records: 0, head: CHAIN_START };
  }

  return {
    add(chain, batches) {
      inTransaction(db, "IMMEDIATE", () => {
        let { records, head } = storedHead(chain);
        let skew = 0;
        const added: ActivityRecord[] = [];
        for (const { seq, records: batch } of batches) {
          if (seq < records) continue;
          for (const [i, record] of batch.entries()) {
            if (!insert(record, chain, seq + i)) continue;
            added.push(record);
            skew = Math.max(skew, idTime(record.id) - Date.parse(record.time));
            head = record.hash;
          }
          records = seq + batch.length;
        }
        if (added.length === 0) return;
        count(added);
        saveHead.run([chain, records, head, skew]);
      });
    },
  };
}

/** Gives what inserts one record. False for one that cannot be a record. */
function createInsert(
  db: Connection,
): (record: ActivityRecord, chain: string, seq: number) => boolean {
  /** By the columns that they fill: each value that is bound costs time, and half of them are null. */
  const statements = new Map<number, ReturnType<Connection["prepare"]>>();

  function prepare(filled: number): ReturnType<Connection["prepare"]> {
    const columns = COLUMNS.filter((_, i) => (filled & (1 << i)) !== 0);
    const values = columns.map(() => "?").join(", ");
    const sql = `INSERT INTO activity (${columns.join(", ")}) VALUES (${values})`;
    const statement = db.prepare(sql);
    statements.set(filled, statement);
    return statement;
  }

  return (record, chain, seq) => {
    const values: unknown[] = [];
    let filled = 0;
    try {
      if (!hasMoments(record)) return false;
      for (let i = 0; i < COLUMNS.length; i += 1) {
        const value = columnValue(record, COLUMNS[i] ?? "id", chain, seq);
        if (value === null || value === undefined) continue;
        if (typeof value !== "string" && typeof value !== "number") return false;
        filled |= 1 << i;
        values.push(value);
      }
      (statements.get(filled) ?? prepare(filled)).run(values);
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  };
}

/** Whether the moments by which records are counted and found can be told. */
function hasMoments({ id, time }: ActivityRecord): boolean {
  return typeof time === "string" && Number.isFinite(idTime(id) - Date.parse(time));
}

function columnValue(
  record: ActivityRecord,
  column: keyof ActivityRow,
  chain: string,
  seq: number,
): unknown {
  switch (column) {
    case "chain":
      return chain;
    case "seq":
      return seq;
    case "issues":
      return textOf(record.issues);
    case "guard":
      return record.guard === undefined ? null : textOf(record.guard);
    case "rules":
      return rulesOf(record.issues);
    default:
      return record[column];
  }
}

function textOf(value: readonly Issue[] | GuardTrip): string {
  return Array.isArray(value) && value.length === 0 ? "[]" : JSON.stringify(value);
}

/** Whether the record itself is at fault: a damaged journal must not stop all others. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = "code" in error ? error.code : undefined;
  if (error instanceof TypeError || error.name === "ULIDError") return true;
  return typeof code === "string" && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(code);
}
