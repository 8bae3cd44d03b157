import { type RawBuilder, sql } from "kysely";
import type { Dialect } from "./tables.ts";

/** Makes SQLite find records by their ids. It may choose an index with few rows, and sort all of them. */
export function byIds(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "sqlite" ? "INDEXED BY sqlite_autoindex_activity_1" : "");
}

/** Makes SQLite find records by their request: it would rather read all of a type, of which there may be many. */
export function byRequest(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "sqlite" ? "INDEXED BY activity_request" : "");
}

/**
 * The end of a query for whether a request has a record of some kind. PostgreSQL would rather read all such records of the
 * store once than those of the requests, which are few.
 */
export function evaluatedPerRow(dialect: Dialect): RawBuilder<unknown> {
  return sql.raw(dialect === "postgres" ? "OFFSET 0" : "");
}
