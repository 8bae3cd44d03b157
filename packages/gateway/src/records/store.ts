import type { Outcome } from "@touchstone/core";
import type { PinStore } from "../contracts/pin-store.ts";
import type { RequestStore } from "../contracts/request-store.ts";
import type { ContractStore, Declared } from "../contracts/store.ts";
import type { TaskStore } from "../contracts/task-store.ts";
import type { DriftStore, KeptDrift } from "../drift/store.ts";
import type { Excuses } from "../policy/excuses.ts";
import type { Direction } from "../policy/settings.ts";
import type {
  CallDetail,
  CallFilter,
  CallHistogram,
  CallPage,
  CallScope,
  CallValues,
  SessionPage,
} from "./calls.ts";
import type { ActivityError } from "./errors.ts";
import type { ActivityFilter, ActivityScope } from "./filter.ts";
import type { Overview } from "./overview.ts";
import type { ActivityLog, ActivityRecord } from "./record.ts";
import type { RepairReport } from "./repairs.ts";

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
  /** How many records there are. */
  readonly records: number;
  /** How many were ever appended, as the store took note of it. */
  readonly appended: number;
  /** Hash of the last one appended, as the store took note of it. */
  readonly head: string | null;
  /** How many retention has removed from the start; id and hash of the last of these. */
  readonly pruned: number;
  readonly pruned_id: string | null;
  readonly pruned_hash: string | null;
  readonly first_id: string | null;
  readonly last_id: string | null;
  /** Where the first and the last row stand; `null` if there is none. */
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  /** The most milliseconds by which a record's id lay after its time, as the store took note of it. */
  readonly skew_ms: number | null;
}

/** A stored row in its place, whether or not it is a record still. */
export interface ChainLink {
  /** Position in the chain, from 0 on. */
  readonly seq: number;
  readonly id: string;
  readonly prev_hash: string;
  readonly hash: string;
  /** Absent if the row was changed into something that is none, or is found by other rules than its own. */
  readonly record?: ActivityRecord;
}

/** Records in the order of their commits. */
export interface ActivityTail {
  readonly records: readonly ActivityRecord[];
  /** The place behind each of them. */
  readonly positions: readonly string[];
  /** The place behind all of them; opaque, gives what comes next. */
  readonly position: string;
}

/** What calls of one tool came to. */
export interface ToolSummary {
  readonly server: string | null;
  readonly tool: string | null;
  readonly calls: number;
  readonly success: number;
  readonly error: number;
  readonly blocked: number;
  readonly warning: number;
  readonly rejected: number;
  /** Calls whose arguments were repaired, whatever they ended with. */
  readonly repaired: number;
  readonly mean_ms: number;
}

/** How many decisions about a tool named a class of issues. */
export interface RuleCount {
  readonly server: string | null;
  readonly tool: string | null;
  readonly direction: Direction | null;
  /** A class of issues; `none` where the decision named no issue. */
  readonly rule: string;
  readonly records: number;
}

export interface ActivitySummary {
  /** RFC 3339; `null` without bound. */
  readonly since: string | null;
  readonly until: string | null;
  readonly records: number;
  readonly types: Readonly<Record<string, number>>;
  /** `total`, and the number of each status. */
  readonly calls: Readonly<Record<string, number>>;
  /** Policy decisions by what was decided. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Up to 100 tools, those with the most calls first. */
  readonly tools: readonly ToolSummary[];
  readonly tools_left_out: number;
  /** Up to 100, the most frequent first. */
  readonly rules: readonly RuleCount[];
  /** Beyond 1,000 combinations of tool, direction and rules these are counted, and not each rule in them. */
  readonly rules_left_out: number;
}

/** Calls that strict would have blocked for one reason. */
export interface RolloutOffence {
  readonly server: string | null;
  /** `null` where the message was not a call. */
  readonly tool: string | null;
  readonly direction: Direction | null;
  readonly outcome: Outcome | null;
  /** The class of issues; `null` if none was named. */
  readonly rule: string | null;
  /** The narrowest keys of `rules` that let all of them pass; empty if only their class does. Not of undeclared arguments. */
  readonly places: readonly string[];
  /** Which of its issues are undeclared arguments, if some are: `undeclared` is about them, and not their class. */
  readonly undeclared?: "some" | "all";
  readonly calls: number;
}

export interface Rollout {
  readonly since: string | null;
  readonly until: string | null;
  /** Tool calls that were recorded. */
  readonly calls: number;
  /** Of these, how many strict would have blocked. */
  readonly would_block: number;
  /** Of these, how many were forwarded with repaired arguments, in warn or strict. */
  readonly repaired: number;
  /** Other messages that strict would have blocked. */
  readonly other_messages: number;
  /** By server, tool, direction and rule; the most frequent first. */
  readonly offences: readonly RolloutOffence[];
  /** Combinations of server, tool, direction and rules beyond the 1,000 most frequent, which `offences` reports. */
  readonly offences_left_out: number;
}

/** Recorded calls that went on to their server, of one tool and caller. */
export interface SentCalls {
  readonly server: string | null;
  /** `null` if the call names no tool by a string. */
  readonly tool: string | null;
  /** `null` if nobody was identified. */
  readonly caller: string | null;
  readonly calls: number;
}

/** Recorded calls by server, tool and caller; the most frequent first. */
export interface SentCallCounts {
  readonly counts: readonly SentCalls[];
  /** How many calls there are in all. */
  readonly calls: number;
  /** How many of these are of combinations beyond the 10,000 most frequent. */
  readonly left_out: number;
}

/** How much a store holds. */
export interface ActivityUsage {
  readonly records: number;
  /** Bytes in use: SQLite's pages that hold data, or PostgreSQL's table with its indexes. */
  readonly bytes: number;
}

/** Reading of records. Every method rejects with an `ActivityError`. */
export interface ActivityReader {
  /** A page of the records that meet the filter, by id, newest first. */
  list(filter: ActivityFilter): Promise<ActivityPage>;
  get(id: string): Promise<ActivityRecord | undefined>;
  /** Up to `limit` records whose id starts with the text (any case), oldest first. */
  findByPrefix(prefix: string, limit: number): Promise<readonly ActivityRecord[]>;
  /** Up to `limit` records that meet the scope, by id, from behind `after` on; oldest first, or newest (`desc`). */
  scan(
    scope: ActivityScope,
    page: {
      readonly after?: string | undefined;
      readonly limit: number;
      readonly order?: "asc" | "desc";
    },
  ): Promise<readonly ActivityRecord[]>;
  /**
   * Up to `limit` records in the order of their commits.
   *
   * @param position of an earlier answer; `undefined` for the end, if there are no records yet
   */
  tail(position: string | undefined, limit: number): Promise<ActivityTail>;
  summary(scope: ActivityScope): Promise<ActivitySummary>;
  /**
   * What strict would have blocked of what was let pass with a warning.
   * @param excuses what settings let pass in strict, as `excusesOf` reports a configuration; nothing by default
   */
  rollout(scope: ActivityScope, excuses?: Excuses): Promise<Rollout>;
  /** Calls that were not blocked or rejected, by server, tool and caller. */
  sentCalls(scope: ActivityScope): Promise<SentCallCounts>;
  /** The names of all tools that are kept of a server's lists. */
  listedTools(server: string): Promise<ReadonlySet<string>>;
  /** What hashes of a server's schemas and declarations stand for, as far as it is kept and intact. */
  declaredTexts(server: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Declared>>;
  /** Which arguments were repaired, how, and how often. */
  repairs(scope: ActivityScope): Promise<RepairReport>;
  /** What results of a tool were like, one entry for each schema it declared; the latest first. */
  drift(server: string, tool: string): Promise<readonly KeptDrift[]>;
  /** A page of calls, each with what was decided about it. */
  calls(filter: CallFilter): Promise<CallPage>;
  /** A call, or the one that a decision is about, with all that belongs to it. */
  call(id: string, filter: CallFilter): Promise<CallDetail | undefined>;
  /** Calls by time and status. */
  histogram(
    scope: CallScope,
    options: { readonly buckets: number; readonly now: Date },
  ): Promise<CallHistogram>;
  /** The values by which calls can be filtered. */
  values(): Promise<CallValues>;
  /** How calls were doing over time, and what to look at. */
  overview(options: {
    readonly since: Date;
    readonly until: Date;
    readonly buckets: number;
    readonly excuses: Excuses;
  }): Promise<Overview>;
  /** What is kept of the results of this many tools, the latest first. */
  drifts(limit: number): Promise<readonly KeptDrift[]>;
  /** Conversations, the latest first. */
  sessions(page: {
    readonly limit: number;
    readonly after: string | undefined;
  }): Promise<SessionPage>;
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
  /** Rows of one chain by position, from position `from` on, as verification needs them. */
  readLinks(chain: string, from: number, limit: number): Promise<readonly ChainLink[]>;
  /** What is wrong with the indexes and counts by which records are found, in a line each. */
  inconsistencies(): Promise<readonly string[]>;
  usage(): Promise<ActivityUsage>;
  close(): Promise<void>;
}

/** How long and how many records are kept. Absent: without bound. */
export interface Retention {
  /** By the moment in a record's id, which is that of its time wherever no clock was set back. */
  readonly maxAgeMs?: number | undefined;
  readonly maxRecords?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** Removes the oldest records, and adds up what the records of each hour come to. */
export interface ActivityPruner {
  /**
   * Removes the oldest records, step by step, until the bounds hold for those that were there when it
   * began; those that come meanwhile are left for the next time. Each chain keeps the hash of the
   * last record that it lost, so that the rest of it still verifies.
   *
   * @param options.signal ends it after the step under way
   * @returns how many records were removed
   */
  prune(
    retention: Retention,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly removed: number }>;
  /**
   * Adds up the records of each hour that are not added up yet, step by step.
   * @param options.signal ends it after the step under way
   */
  rollUp(options?: { readonly signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** A log that can also be read. */
export interface ActivityStore extends ActivityLog, ActivityReader {
  /** Id of the chain that this process writes. */
  readonly chain: string;
  /** The tools' contracts, kept beside the records. */
  readonly contracts: ContractStore;
  /** Approvals of what servers declare, kept beside the records. */
  readonly pins: PinStore;
  /** What results were like, kept beside the records. */
  readonly shapes: DriftStore;
  /** Calls that run as tasks; absent if the store is not one that machines share. */
  readonly tasks?: TaskStore;
  /** Requests whose streams may be resumed elsewhere; absent if the store is not one that machines share. */
  readonly requests?: RequestStore;
  /**
   * Why records cannot be read, or not all of them, though they are kept; undefined if they can. Never
   * throws. Absent if that cannot be.
   */
  readonly unreadable?: () => ActivityError | undefined;
  /**
   * Looks whether records could be kept, and writes nothing. Absent if only writing tells.
   * @throws ActivityError where they could not
   */
  readonly writable?: () => Promise<void>;
}
