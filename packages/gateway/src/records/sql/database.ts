import type { CompiledQuery } from "kysely";

/** Runs one query inside a snapshot. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/** What reading needs of a database, whichever it is. */
export interface ReadDatabase {
  readonly dialect: "sqlite" | "postgres";
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
