import { BoundedMap } from "@touchstone/util";
import type { RunQuery } from "../sql/database.ts";
import { type Connection, retryWhileBusy } from "./connection.ts";
import { prepareRows, type RowStatement } from "./row-statement.ts";

/** Maximum number of statements kept. The filters of a listing alone have more combinations. */
const MAX_KEPT = 100;

/**
 * Returns the statement of a query, prepared once for each of the most recently used texts. A statement uses about
 * ten kilobytes outside the JavaScript heap, which the garbage collector does not count and so does not free soon:
 * with one statement per query, the memory of a process would grow without end.
 */
export function createStatements(db: Pick<Connection, "prepare">): (sql: string) => RowStatement {
  const kept = new BoundedMap<string, RowStatement>(MAX_KEPT);
  return (sql) => {
    const statement = kept.get(sql) ?? prepare(db, sql);
    kept.set(sql, statement);
    return statement;
  };
}

/**
 * Prepares a statement. Statements that write return only constants and casts to numbers, because a damaged text
 * would end the process.
 */
function prepare(db: Pick<Connection, "prepare">, sql: string): RowStatement {
  if (/^\s*(select|with)\b/i.test(sql)) return prepareRows(db, sql);
  const statement = db.prepare(sql);
  return { all: (parameters) => statement.all([...parameters]) };
}

/** @param path the database's path, for messages */
export function createRun(db: Connection, path: string): RunQuery {
  const statement = createStatements(db);
  return <Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) =>
    retryWhileBusy(path, () => statement(sql).all(parameters.map(bindValue)) as Row[]);
}

/**
 * Returns a value in a form that libsql accepts: a boolean would end the process.
 * @throws TypeError for a value that no column holds
 */
export function bindValue(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  if (value === undefined || value === null) return null;
  const isScalar = ["string", "number", "bigint"].includes(typeof value);
  if (isScalar || value instanceof Uint8Array) return value;
  throw new TypeError(`a query of SQLite takes no ${typeof value}`);
}
