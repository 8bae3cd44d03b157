import type { CompiledQuery } from "kysely";
import type { Dialect } from "./tables.ts";

/** Runs one query. What gives no rows gives an empty list. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/** A query of a text that both databases take. Kysely is not loaded for it. */
export function plainQuery<Row>(sql: string, parameters: readonly unknown[] = []) {
  return { sql, parameters } as CompiledQuery<Row>;
}

/** What reading needs of a database, whichever it is. */
export interface ReadDatabase {
  readonly dialect: Dialect;
  /** Where it is, for messages; holds no password. */
  readonly place: string;
  /**
   * Gives all queries of `body` one consistent snapshot.
   *
   * @throws ActivityError for whatever fails in the database
   */
  read<T>(body: (run: RunQuery) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What a transaction excludes others from. SQLite has one writer at a time, whatever it writes. */
export type Lock =
  /** Pruning of records. */
  | "prune"
  /** Removal of lists of tools, which nobody may write meanwhile. */
  | "sweep"
  /** What is kept of results. */
  | "drift"
  /** What the records of an hour come to, and how far that goes. */
  | "rollup"
  /** One list of tools: of several processes that see a change, one reports it. */
  | { readonly list: string }
  /** What is known of one server's declarations. */
  | { readonly pins: string };

/** What writing needs of a database, whichever it is. */
export interface Database extends ReadDatabase {
  /**
   * Runs `body` as one transaction, alone among those that take the same lock. `body` waits for nothing but its queries.
   *
   * @throws ActivityError for whatever fails in the database
   */
  write<T>(lock: Lock, body: (run: RunQuery) => Promise<T>): Promise<T>;
  /** Tells others with the commit of a transaction; absent if nobody can listen. */
  readonly notify?: (run: RunQuery, channel: string, payload: string) => Promise<void>;
}
