import { describeIssue, type Issue, RULES, type Whole } from "@touchstone/core";
import {
  ACTIVITY_SCOPES,
  type ActivityFilterName,
  type ActivityScope,
  badFilter,
  DEFAULT_LIMIT,
  type FilterInput,
  integerParser,
  parseActivityScope,
  parseCursor,
  read,
} from "./filter.ts";
import type { ActivityRecord } from "./record.ts";

/** Selects calls. All conditions must match. */
export interface CallScope extends Omit<ActivityScope, "types"> {}

/** A page of calls. */
export interface CallFilter extends CallScope {
  /** Calls on a page, 1 to 200. */
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the last call of the page before. */
  readonly after?: string;
}

/** One call with the decisions about it: what people read as one row. */
export interface Call {
  /** Id of the call's record. */
  readonly id: string;
  readonly time: string;
  readonly source: ActivityRecord["source"];
  readonly server: string | null;
  readonly tool: string | null;
  readonly client: string | null;
  /** The caller, as the gateway identified it. */
  readonly caller: string | null;
  readonly session: string | null;
  readonly status: ActivityRecord["status"];
  readonly decision: ActivityRecord["decision"];
  readonly direction: ActivityRecord["direction"];
  readonly mode: ActivityRecord["mode"];
  readonly outcome: ActivityRecord["outcome"];
  readonly reason: string | null;
  /**
   * The first issue of the heaviest decision, as a sentence for people; `null` if the call was rejected for another
   * reason.
   */
  readonly issue: string | null;
  /** The number of issues in all decisions. */
  readonly issues: number;
  /** The classes of these issues. */
  readonly rules: readonly string[];
  readonly repairs: string | null;
  readonly request_id: string | null;
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
  readonly duration_ms: number | null;
  /** Ids of the decisions about it, oldest first. */
  readonly decisions: readonly string[];
}

export interface CallPage {
  readonly calls: readonly Call[];
  /** The number of calls that match the filter; `null` if counting would need every record. */
  readonly total: number | null;
  readonly limit: number;
  /** The next page; `null` at the end. */
  readonly next_cursor: string | null;
  /** The time up to which records were searched, if the search stopped before the page was full. */
  readonly searched_to: string | null;
}

/** A call and everything that belongs to it. */
export interface CallDetail {
  /** `null` if the record belongs to no call. */
  readonly call: Call | null;
  /** The record of the call and of the decisions about it, oldest first. */
  readonly records: readonly ActivityRecord[];
  /** The text that the client received instead of a response, if the call was blocked. */
  readonly received: string | null;
  /** The client's next call of the same tool. */
  readonly next_attempt: Call | null;
  /** Ids of the neighbors in the filtered list: the newer and the older call. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** Numbers of calls in one time bucket. */
export interface CallBucket {
  readonly time: string;
  readonly calls: number;
  readonly success: number;
  readonly warning: number;
  readonly repaired: number;
  readonly blocked: number;
  readonly error: number;
  readonly rejected: number;
}

export interface CallHistogram {
  readonly since: string;
  readonly until: string;
  readonly bucket_ms: number;
  readonly buckets: readonly CallBucket[];
  /** The start of the counted time, if there were too many calls to count all. */
  readonly counted_from: string | null;
}

/** The values by which calls can be filtered. */
export interface CallValues {
  readonly servers: readonly string[];
  readonly tools: readonly { readonly server: string | null; readonly tool: string }[];
  readonly clients: readonly string[];
  readonly callers: readonly string[];
  /** The latest. */
  readonly sessions: readonly string[];
  readonly rules: readonly string[];
  /** Whether the values are complete: clients, callers, sessions and rules come from the latest records. */
  readonly complete: boolean;
}

/** One conversation. */
export interface Session {
  /** The filter `session` of its calls: a session's hash, or `process:` and the id of a process. */
  readonly session: string;
  readonly client: string | null;
  readonly servers: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly calls: number;
  readonly blocked: number;
  readonly warning: number;
  readonly error: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly next_cursor: string | null;
}

/** The filters of calls, except those of pages. */
export const CALL_SCOPES: readonly ActivityFilterName[] = ACTIVITY_SCOPES.filter(
  (name) => name !== "type",
);
export const MAX_CALLS = 200;
export const MAX_BUCKETS = 200;
export const DEFAULT_BUCKETS = 60;
/** The filter `session` for calls without a session. */
export const PROCESS = "process:";

/**
 * Reads the filters of calls: those of {@link parseSearch} except `type`.
 * @throws ActivityError `BAD_FILTER`
 */
export function parseCallScope(input: FilterInput, now: Date): CallScope {
  if (input["type"] !== undefined) throw badFilter("type", "is not a filter of calls");
  return parseSearch(input, now);
}

/**
 * Reads the filters of `parseActivityScope`, `rule`, `q` (a text to search for), and a process as `session`.
 * @throws ActivityError `BAD_FILTER`
 */
export function parseSearch(input: FilterInput, now: Date): ActivityScope {
  const { rule, q, ...others } = input;
  const { session, ...rest } = others;
  const process = session?.startsWith(PROCESS) ? session.slice(PROCESS.length) : undefined;
  const known = RULES.find((one) => one === rule);
  if (rule !== undefined && known === undefined) {
    throw badFilter("rule", `is none of ${RULES.join(", ")}`);
  }
  if (q !== undefined && q.length > MAX_TEXT)
    throw badFilter("q", `is over ${MAX_TEXT} characters`);
  const scope = parseActivityScope(process === undefined ? others : rest, now);
  return {
    ...scope,
    ...(known === undefined ? {} : { rule: known }),
    ...(q === undefined || q === "" ? {} : { text: q }),
    ...(process === undefined ? {} : { process }),
  };
}

const MAX_TEXT = 256;

/**
 * Reads a page of calls: the filters of {@link parseCallScope}, `limit` (1 to 200, 50), `cursor`, and `order` (`desc`).
 * @throws ActivityError `BAD_FILTER`
 */
export function parseCallFilter(input: FilterInput, now: Date): CallFilter {
  const { limit, cursor, order = "desc", ...scope } = input;
  if (order !== "asc" && order !== "desc") throw badFilter("order", "is none of asc, desc");
  const after = read({ cursor }, "cursor", parseCursor);
  return {
    ...parseCallScope(scope, now),
    limit: read({ limit }, "limit", integerParser(1, MAX_CALLS)) ?? DEFAULT_LIMIT,
    order,
    ...(after === undefined ? {} : { after }),
  };
}

/** The name of the root in issues, by direction of the decision. */
const WHOLES: ReadonlyMap<string | null, Whole> = new Map([
  ["input", "the arguments"],
  ["output", "the result"],
  ["protocol", "the message"],
]);

/** The heaviest first. */
const WEIGHT: Readonly<Record<string, number>> = { blocked: 3, repaired: 2, warning: 1 };

/** Combines the decisions about a call with it. */
export function callOf(record: ActivityRecord, decisions: readonly ActivityRecord[]): Call {
  const weight = ({ decision }: ActivityRecord): number => WEIGHT[decision ?? ""] ?? 0;
  const [heaviest] = decisions
    .filter(({ issues, decision }) => {
      return issues.length > 0 && (record.status !== "rejected" || decision === "blocked");
    })
    .toSorted((a, b) => weight(b) - weight(a));
  const first: Issue | undefined = heaviest?.issues[0];
  const present = new Set(decisions.flatMap(({ issues }) => issues.map(({ rule }) => rule)));
  const count = ({ issues, truncated = 0 }: ActivityRecord): number => issues.length + truncated;
  return {
    id: record.id,
    time: record.time,
    source: record.source,
    server: record.server,
    tool: record.tool,
    client: record.client,
    caller: record.caller ?? null,
    session: record.session,
    status: record.status,
    decision: record.decision,
    direction: record.direction,
    mode: record.mode,
    outcome: record.outcome,
    reason: record.reason,
    issue:
      first === undefined ? null : describeIssue(first, WHOLES.get(heaviest?.direction ?? null)),
    issues: decisions.reduce((sum, decision) => sum + count(decision), 0),
    rules: RULES.filter((rule) => present.has(rule)),
    repairs: decisions.find(({ repairs }) => repairs !== undefined)?.repairs ?? null,
    request_id: record.request_id,
    bytes_in: record.bytes_in,
    bytes_out: record.bytes_out,
    duration_ms: record.duration_ms,
    decisions: decisions.map(({ id }) => id),
  };
}
