import type { ActivityEntry } from "../record.ts";
import type { Erasure } from "../response-schemas.ts";
import type { StoreCheck } from "../store.ts";
import type { Database, ReadDatabase, RunQuery } from "./database.ts";
import type { TableName } from "./tables.ts";

/** Returns whether the rows of all of these tables may be read. */
export type CanReadTables = (tables: readonly TableName[]) => boolean;

/** What is wrong with rows, one line each, and how many rows of each kind were compared. */
export type KeptCheck = Pick<StoreCheck, "faults"> & Partial<Omit<StoreCheck, "faults" | "tables">>;

/** The person whose rows to erase. */
export interface ErasureScope {
  readonly column: "caller" | "session";
  readonly value: string;
}

/** How many rows of each kind were erased. */
export type ErasedCounts = Partial<
  Pick<Erasure, "approvals" | "requests" | "console_sessions" | "views">
>;

/** The operations of the store on the tables that are kept next to the records, apart from creating them. */
export interface KeptPart {
  /** Compares the rows with their evidence, for verification. */
  readonly check?: (db: ReadDatabase, run: RunQuery, may: CanReadTables) => Promise<KeptCheck>;
  /**
   * Returns records to append before retention removes records that are evidence for rows.
   * @param due the ids of the records to be removed
   */
  readonly carryOn?: (
    db: ReadDatabase,
    run: RunQuery,
    due: ReadonlySet<string>,
  ) => Promise<readonly ActivityEntry[]>;
  /** Removes rows that are no longer used, after a removal of records. */
  readonly sweep?: (db: Database, now: Date, signal?: AbortSignal) => Promise<void>;
  /** Removes counts of records that change, in the transaction that changes them. */
  readonly uncount?: (run: RunQuery) => Promise<void>;
  /** Erases the parts of rows about a person. A dry run counts, and changes nothing. */
  readonly erase?: (db: Database, erasing: ErasureScope, dryRun: boolean) => Promise<ErasedCounts>;
}
