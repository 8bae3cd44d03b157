import { type RawBuilder, sql } from "kysely";
import type { Dialect } from "./tables.ts";

/** Makes SQLite find records by their ids. Otherwise it may choose an index with few rows, and sort all of them. */
export function byIds(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "sqlite" ? "INDEXED BY sqlite_autoindex_activity_1" : "");
}

/**
 * Makes SQLite find records by their request: otherwise it would read all records of a type, of which there may be
 * many.
 */
export function byRequest(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "sqlite" ? "INDEXED BY activity_request" : "");
}

/**
 * The end of a query for whether a request has a record of some kind. PostgreSQL would otherwise read all such
 * records of the store once, instead of those of the requests, which are few.
 */
export function evaluatedPerRow(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "postgres" ? "OFFSET 0" : "");
}
