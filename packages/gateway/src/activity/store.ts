import type { ContractStore } from "../contracts/store.ts";
import type { ActivityFilter } from "./filter.ts";
import type { ActivityLog, ActivityRecord } from "./record.ts";

/** One page of a listing, newest record first. */
export interface ActivityPage {
  readonly activities: readonly ActivityRecord[];
  /** How many records meet the filter, on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** Gives the page after this one as filter `cursor`; `null` on the last page. */
  readonly next_cursor: string | null;
}

/** The records of one process start. */
export interface ActivityChain {
  /** ULID made when the process opened the store. */
  readonly chain: string;
  readonly records: number;
  readonly first_id: string;
  readonly last_id: string;
}

/** Reading of records. Every method rejects with an `ActivityError`. */
export interface ActivityReader {
  /** A page of the records that meet the filter, by id, newest first. */
  list(filter: ActivityFilter): Promise<ActivityPage>;
  get(id: string): Promise<ActivityRecord | undefined>;
  /** Up to `limit` records whose id starts with the text (any case), oldest first. */
  findByPrefix(prefix: string, limit: number): Promise<readonly ActivityRecord[]>;
  /** All chains, oldest first. */
  chains(): Promise<readonly ActivityChain[]>;
  /**
   * Records of one chain in the order of their links, as `verifyChain` takes them.
   *
   * @param options.from position in the chain to start at, from 0 on (0)
   * @param options.limit most records to give (1000)
   */
  readChain(
    chain: string,
    options?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly ActivityRecord[]>;
  close(): Promise<void>;
}

/** A log that can also be read. */
export interface ActivityStore extends ActivityLog, ActivityReader {
  /** Id of the chain that this process writes. */
  readonly chain: string;
  /** The tools' contracts, kept beside the records. */
  readonly contracts: ContractStore;
}
