import type { CompiledQuery } from "kysely";
import type { Dialect } from "./tables.ts";

/** Runs one query. One without rows returns an empty list. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/** A query whose text works in both databases. It does not load Kysely. */
export function plainQuery<Row>(sql: string, parameters: readonly unknown[] = []) {
  return { sql, parameters } as CompiledQuery<Row>;
}

/** What reading needs of either database. */
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

/** What no other transaction may do at the same time. SQLite has one writer at a time in any case. */
export type Lock =
  /** Pruning of records. */
  | "prune"
  /** Removal of tool lists, which nobody may write meanwhile. */
  | "sweep"
  /** What is kept about results. */
  | "drift"
  /** Sessions of the console: of two that are added at once, each counts the other. */
  | "sessions"
  /** What the records of an hour come to, and how far that goes. */
  | "rollup"
  /** Calls by what was wrong, how far that goes, and what is ignored. */
  | "problems"
  /** Saved views: two of one name may be saved at once. */
  | "views"
  /** The search index, and how far it goes. */
  | "search"
  /** One tool list: of several processes that see a change, one reports it. */
  | { readonly list: string }
  /** A server's declarations. */
  | { readonly pins: string };

/** What writing needs of either database. */
export interface Database extends ReadDatabase {
  /**
   * Runs `body` as one transaction, alone among those with the same lock. `body` awaits nothing but its queries.
   *
   * @throws ActivityError for any failure in the database
   */
  write<T>(lock: Lock, body: (run: RunQuery) => Promise<T>): Promise<T>;
  /** Notifies others with the commit of a transaction; absent if nobody can listen. */
  readonly notify?: (run: RunQuery, channel: string, payload: string) => Promise<void>;
}
