import type { ActivityEntry } from "../record.ts";
import type { Erasure } from "../response-schemas.ts";
import type { StoreCheck } from "../store.ts";
import type { Database, ReadDatabase, RunQuery } from "./database.ts";
import type { TableName } from "./tables.ts";

/** Returns whether the rows of all of these tables may be read. */
export type CanReadTables = (tables: readonly TableName[]) => boolean;

/** What is wrong with rows, in a line each, and how many of which kind were compared. */
export type KeptCheck = Pick<StoreCheck, "faults"> & Partial<Omit<StoreCheck, "faults" | "tables">>;

/** Whose rows to erase. */
export interface ErasureScope {
  readonly column: "caller" | "session";
  readonly value: string;
}

/** How many rows of which kind were erased. */
export type ErasedCounts = Partial<
  Pick<Erasure, "approvals" | "requests" | "console_sessions" | "views">
>;

/** What the store does with tables that are kept beside the records, apart from creating them. */
export interface KeptPart {
  /** Compares the rows with what proves them, for verification. */
  readonly check?: (db: ReadDatabase, run: RunQuery, may: CanReadTables) => Promise<KeptCheck>;
  /**
   * Returns records to append before retention removes others that rows are compared with.
   * @param due the ids of the records to be removed
   */
  readonly carryOn?: (
    db: ReadDatabase,
    run: RunQuery,
    due: ReadonlySet<string>,
  ) => Promise<readonly ActivityEntry[]>;
  /** Removes what nobody uses anymore, after a removal of records. */
  readonly sweep?: (db: Database, now: Date, signal?: AbortSignal) => Promise<void>;
  /** Removes what was counted from records that change, in the transaction that changes them. */
  readonly uncount?: (run: RunQuery) => Promise<void>;
  /** Erases what rows have about somebody. A dry run counts, and changes nothing. */
  readonly erase?: (db: Database, erasing: ErasureScope, dryRun: boolean) => Promise<ErasedCounts>;
}
