import type { GuardTrip, Issue } from "@touchstone/core";
import { idSkew } from "../ids.ts";
import type { ActivityRecord } from "../record.ts";
import { type ActivityRow, COLUMNS, extraOf, rulesOf } from "../sql/rows.ts";
import { codeOf } from "../sqlite/code-of.ts";
import type { Connection } from "../sqlite/connection.ts";

/**
 * Gives what inserts one record, in the caller's transaction. False for one that cannot be a record:
 * nothing is inserted then.
 */
export function createSingleInsert(
  db: Connection,
): (record: ActivityRecord, chain: string, seq: number) => boolean {
  /** By the columns that they fill: each value that is bound costs time, and half of them are null. */
  const statements = new Map<number, ReturnType<Connection["prepare"]>>();

  function prepare(filled: number): ReturnType<Connection["prepare"]> {
    const columns = COLUMNS.map(({ name }) => name).filter((_, i) => (filled & (1 << i)) !== 0);
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
        const value = columnValue(record, COLUMNS[i]?.name ?? "id", chain, seq);
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
function hasMoments(record: ActivityRecord): boolean {
  return typeof record.time === "string" && Number.isFinite(idSkew(record));
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
    case "extra":
      return extraOf(record);
    default:
      return record[column];
  }
}

function textOf(value: readonly Issue[] | GuardTrip): string {
  return Array.isArray(value) && value.length === 0 ? "[]" : JSON.stringify(value);
}

/** Whether the record itself is at fault: a damaged journal must not stop all others. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error.name === "ULIDError") return true;
  return /^SQLITE_(CONSTRAINT|MISMATCH)/.test(codeOf(error));
}
