import type { CompiledQuery } from "kysely";
import type { Dialect } from "./tables.ts";

/** Runs one query. A query without rows returns an empty list. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/** A query whose text works in both databases. It does not load Kysely. */
export function plainQuery<Row>(sql: string, parameters: readonly unknown[] = []) {
  return { sql, parameters } as CompiledQuery<Row>;
}

/** The functions that reading needs of either database. */
export interface ReadDatabase {
  readonly dialect: Dialect;
  /** Its address for messages, without a password. */
  readonly place: string;
  /**
   * Runs all queries of `body` on one consistent snapshot.
   *
   * @throws ActivityError for any failure in the database
   */
  read<T>(body: (run: RunQuery) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Work that no other transaction may do at the same time. SQLite has one writer at a time in any case. */
export type Lock =
  /** Pruning of records. */
  | "prune"
  /** Removal of tool lists, during which no lists may be written. */
  | "sweep"
  /** The shapes of results. */
  | "drift"
  /** Sessions of the console: two that are added at once must count each other. */
  | "sessions"
  /** The hourly counts of records, and up to where they are counted. */
  | "rollup"
  /** Problems, up to where records are counted, and ignored problems. */
  | "problems"
  /** Saved views: two with the same name may be saved at once. */
  | "views"
  /** The search index, and up to where records are indexed. */
  | "search"
  /** One tool list: if several processes see a change, only one reports it. */
  | { readonly list: string }
  /** A server's declarations. */
  | { readonly pins: string };

/** The functions that writing needs of either database. */
export interface Database extends ReadDatabase {
  /**
   * Runs `body` as one transaction; transactions with the same lock never run at the same time. `body` must await
   * nothing but its queries.
   *
   * @throws ActivityError for any failure in the database
   */
  write<T>(lock: Lock, body: (run: RunQuery) => Promise<T>): Promise<T>;
  /** Notifies other gateways when the transaction commits; absent if the database has no listeners. */
  readonly notify?: (run: RunQuery, channel: string, payload: string) => Promise<void>;
}
