import type { Connection } from "./connection.ts";
import { prepareRows, type RowStatement } from "./row-statement.ts";

/** Statements that are kept. The filters of a listing alone can be combined to more. */
const MAX_KEPT = 100;

/**
 * Gives the statement of a query, made once for each of the texts that were used last. A statement
 * holds some ten kilobytes outside of the JavaScript heap, which the garbage collector does not see and
 * so is in no hurry to free: one made for every question would let a process grow without end.
 */
export function createStatements(db: Pick<Connection, "prepare">): (sql: string) => RowStatement {
  const kept = new Map<string, RowStatement>();
  return (sql) => {
    const statement = kept.get(sql) ?? prepareRows(db, sql);
    kept.delete(sql);
    kept.set(sql, statement);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return statement;
  };
}
