import type { Author } from "./author.ts";
import type { CallerFilter, SessionFilter } from "./caller-filter.ts";
import type { CallFilter, CallScope } from "./calls.ts";
import type { PinReader, PinStore } from "./contracts/pin-store.ts";
import type { ContractStore, DeclaredText } from "./contracts/store.ts";
import type { DriftStore, StoredDrift } from "./drift/store.ts";
import type { ActivityError } from "./errors.ts";
import type { ActivityFilter, ActivityScope } from "./filter.ts";
import type { ProblemFilter, ProblemScope } from "./problems/filter.ts";
import type { ProblemIgnores } from "./problems/ignores.ts";
import type { Problem, ProblemPage } from "./problems/response-schemas.ts";
import type { ActivityLog, ActivityRecord } from "./record.ts";
import type { RequestStore } from "./request-store.ts";
import type {
  ActivityPage,
  ActivitySummary,
  CallDetail,
  CallerPage,
  CallHistogram,
  CallPage,
  CallValues,
  Overview,
  RepairReport,
  Rollout,
  SessionPage,
} from "./response-schemas.ts";
import type { Exemptions } from "./rollout/exemption.ts";
import type { RolloutSettings } from "./rollout/settings.ts";
import type { SessionStore } from "./session-store.ts";
import type { TaskStore } from "./task-store.ts";
import type { ViewStore } from "./views.ts";

/** Where the records are: a data directory, or the URL of a PostgreSQL database. */
export type StorePlace = { readonly dataDir: string } | { readonly url: string };

/** The records of one process start. */
export interface ActivityChain {
  /** ULID made when the process opened the store. */
  readonly chain: string;
  /** How many records there are. */
  readonly records: number;
  /** How many records were ever appended, according to the store. */
  readonly appended: number;
  /** Hash of the last appended record, according to the store. */
  readonly head: string | null;
  /** How many records retention has removed from the start; id and hash of the last of these. */
  readonly pruned: number;
  readonly pruned_id: string | null;
  readonly pruned_hash: string | null;
  readonly first_id: string | null;
  readonly last_id: string | null;
  /** The positions of the first and the last row; `null` if there is none. */
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  /** The most milliseconds by which a record's id is after its time, according to the store. */
  readonly skew_ms: number | null;
}

/** A stored row with its position, whether or not it is still a valid record. */
export interface ChainLink {
  /** Position in the chain, from 0 on. */
  readonly seq: number;
  readonly id: string;
  readonly prev_hash: string;
  readonly hash: string;
  /**
   * Absent if the row was changed into something that is not a record, or if its column `rules` does not match its
   * issues.
   */
  readonly record?: ActivityRecord;
}

/** Records in the order of their commits. */
export interface ActivityTail {
  readonly records: readonly ActivityRecord[];
  /** The position after each of them. */
  readonly positions: readonly string[];
  /** The position after all of them; opaque; used to continue. */
  readonly position: string;
  /**
   * Whether these are all records: the limit was not reached, and none waits for an open transaction that may insert
   * records before it.
   */
  readonly isAll: boolean;
}

/** Recorded calls that were sent to their server, of one tool and caller. */
export interface SentCalls {
  readonly server: string | null;
  /** `null` if the call has no tool name that is a string. */
  readonly tool: string | null;
  /** `null` if no caller was identified. */
  readonly caller: string | null;
  readonly calls: number;
}

/** Recorded calls by server, tool and caller; the most frequent first. */
export interface SentCallCounts {
  readonly counts: readonly SentCalls[];
  /** How many calls there are in all. */
  readonly calls: number;
  /** How many of these belong to combinations beyond the 10,000 most frequent. */
  readonly left_out: number;
}

/** The coverage of a verification for one table. */
export interface TableCheck {
  readonly table: string;
  /** What its rows were compared with; null if nothing. */
  readonly checked: string | null;
  /** Columns that were not compared; all of them if `checked` is null. */
  readonly not_covered: readonly string[];
  /** Whether a removed row is noticed. */
  readonly removals_noticed: boolean;
  /** The reason; null if every column was compared. */
  readonly why: string | null;
}

/** The verification of everything except the chains of records. */
export interface StoreCheck {
  /** The faults, one line each. */
  readonly faults: readonly string[];
  readonly tables: readonly TableCheck[];
  /** Approvals and withdrawals for which a record is evidence. */
  readonly approvals: number;
  readonly first_uses: number;
  /** Approvals and first uses from before approvals were recorded. */
  readonly unrecorded_approvals: number;
  /** Tool lists of servers. */
  readonly lists: number;
  /** Lists that an earlier build has written: it cannot be verified which server they belong to. */
  readonly unsealed_lists: number;
}

/** The size of a store. */
export interface ActivityUsage {
  readonly records: number;
  /** Bytes in use: SQLite's pages with data, or PostgreSQL's table with its indexes. */
  readonly bytes: number;
}

/** Reads records. Every method rejects with an `ActivityError`. */
export interface ActivityReader {
  /** Returns a page of the records that match a filter, by id, newest first. */
  list(filter: ActivityFilter): Promise<ActivityPage>;
  get(id: string): Promise<ActivityRecord | undefined>;
  /** Returns up to `limit` records whose id starts with the text (any case), oldest first. */
  findByPrefix(prefix: string, limit: number): Promise<readonly ActivityRecord[]>;
  /** Returns up to `limit` records in a scope, by id, starting after `after`; oldest first, or newest (`desc`). */
  scan(
    scope: ActivityScope,
    page: {
      readonly after?: string | undefined;
      readonly limit: number;
      readonly order?: "asc" | "desc";
    },
  ): Promise<readonly ActivityRecord[]>;
  /**
   * Returns up to `limit` records in the order of their commits.
   *
   * @param position from an earlier call; undefined for the end, without records
   */
  tail(position: string | undefined, limit: number): Promise<ActivityTail>;
  summary(scope: ActivityScope): Promise<ActivitySummary>;
  /**
   * Returns what strict would block, or has blocked, and for each tool the evidence for that.
   * @param settings the settings to compare with, from `rolloutSettings`; default: no configuration
   */
  rollout(scope: ActivityScope, settings?: RolloutSettings): Promise<Rollout>;
  /** Returns calls that were neither blocked nor rejected, by server, tool and caller. */
  sentCalls(scope: ActivityScope): Promise<SentCallCounts>;
  /** Returns the names of all tools in a server's kept lists. */
  listedTools(server: string): Promise<ReadonlySet<string>>;
  /** Returns the texts for hashes of a server's schemas and declarations, as far as they are kept and intact. */
  declaredTexts(
    server: string,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, DeclaredText>>;
  /** Returns which arguments were repaired, how, and how often. */
  repairs(scope: ActivityScope): Promise<RepairReport>;
  /** Returns the shapes of a tool's results, one entry for each schema; the latest first. */
  drift(server: string, tool: string): Promise<readonly StoredDrift[]>;
  /** Returns a page of calls, each with its decisions. */
  calls(filter: CallFilter): Promise<CallPage>;
  /** Returns a call, or the call that a decision is about, with everything that belongs to it. */
  call(id: string, filter: CallFilter): Promise<CallDetail | undefined>;
  /** Returns calls by time and status. */
  histogram(
    scope: CallScope,
    options: { readonly buckets: number; readonly now: Date },
  ): Promise<CallHistogram>;
  /** Returns the values by which calls can be filtered. */
  values(): Promise<CallValues>;
  /** Returns counts and durations of calls over time, and what needs attention. */
  overview(options: {
    readonly since: Date;
    readonly until: Date;
    readonly buckets: number;
    readonly excuses: Exemptions;
  }): Promise<Overview>;
  /** Returns a page of the issues that calls had, grouped by kind. */
  problems(
    filter: ProblemFilter,
    options: { readonly settings?: RolloutSettings | undefined; readonly now: Date },
  ): Promise<ProblemPage>;
  /** Returns one such problem; undefined if it is unknown. */
  problem(
    id: string,
    scope: ProblemScope,
    options: { readonly settings?: RolloutSettings | undefined; readonly now: Date },
  ): Promise<Problem | undefined>;
  /** Returns the shapes of this many tools' results, the latest first. */
  drifts(limit: number): Promise<readonly StoredDrift[]>;
  /** Returns sessions: calls of one caller with one client on all servers, without a long pause. */
  sessions(filter: SessionFilter): Promise<SessionPage>;
  /** Returns the callers, with counts. */
  callers(filter: CallerFilter): Promise<CallerPage>;
  /** Returns all chains, oldest first. */
  chains(): Promise<readonly ActivityChain[]>;
  /**
   * Returns records of one chain in the order of their links, for `verifyChain`.
   *
   * @param options.from chain position to start at (0)
   * @param options.limit most records to return (1000)
   */
  readChain(
    chain: string,
    options?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly ActivityRecord[]>;
  /** Returns rows of one chain by position, from `from` on, for verification. */
  readLinks(chain: string, from: number, limit: number): Promise<readonly ChainLink[]>;
  /** Returns digests of the remaining content of erased records, from the records of the erasures. */
  erasures(): Promise<ReadonlySet<string>>;
  /** Compares everything except the chains of records with its evidence. */
  checkStore(): Promise<StoreCheck>;
  usage(): Promise<ActivityUsage>;
  close(): Promise<void>;
}

/** How long, and how many, records are kept. Absent: no limit. */
export interface Retention {
  /** By the time in a record's id, which equals the record's time unless a clock was set back. */
  readonly maxAgeMs?: number | undefined;
  readonly maxRecords?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** Removes the oldest records, counts records by the hour, and indexes texts for the search. */
export interface ActivityPruner {
  /**
   * Removes the oldest records, step by step, until the limits hold for the records that existed at the start; later
   * ones are left for the next time. Each chain keeps the hash of its last removed record, so that the rest can still
   * be verified.
   *
   * @param options.signal ends it after the current step
   * @param options.author the person who requests it: a record then states who, which limits, and how many. Without
   *   it, as for retention of the configuration, nothing is recorded
   * @returns how many records were removed
   */
  prune(
    retention: Retention,
    options?: { readonly signal?: AbortSignal; readonly author?: Author },
  ): Promise<{ readonly removed: number }>;
  /**
   * Counts the records of each hour that are not counted yet, and adds calls with kept bodies to the search index,
   * step by step.
   * @param options.signal ends it after the current step
   */
  rollUp(options?: { readonly signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** Approvals that were opened for viewing. */
export interface OpenPins extends PinReader {
  close(): Promise<void>;
}

/** A log that can also be read. */
export interface ActivityStore extends ActivityLog, ActivityReader {
  /** Id of the chain that this process writes. */
  readonly chain: string;
  /** The tools' contracts, kept with the records. */
  readonly contracts: ContractStore;
  /** Approvals of servers' declarations, kept with the records. */
  readonly pins: PinStore;
  /** The shapes of results, kept with the records. */
  readonly shapes: DriftStore;
  /** Problems that somebody ignores for some time. */
  readonly problemIgnores: ProblemIgnores;
  /** Sessions of the console. */
  readonly consoleSessions: SessionStore;
  /** Views that were saved in the console. */
  readonly views: ViewStore;
  /** Calls that run as tasks; absent if machines do not share the store. */
  readonly tasks?: TaskStore;
  /** Requests whose streams may be resumed elsewhere; absent if machines do not share the store. */
  readonly requests?: RequestStore;
  /**
   * Returns why records, or some of them, cannot be read although they are kept; undefined if they can. Never throws.
   * Absent if that cannot happen.
   */
  readonly unreadable?: () => ActivityError | undefined;
  /**
   * Checks whether records could be kept, without writing. Absent if only writing shows that.
   * @throws ActivityError if they could not
   */
  readonly writable?: () => Promise<void>;
}
