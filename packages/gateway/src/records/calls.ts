import { describeIssue, type Issue, RULES, type Whole } from "@touchstone/core";
import type { Call } from "./api/schemas.ts";
import {
  type ActivityScope,
  badFilter,
  type FilterInput,
  integerParser,
  parseActivityScope,
  parseCursor,
  read,
} from "./filter.ts";
import { DEFAULT_LIMIT, MAX_CALLS } from "./filter-names.ts";
import { type ActivityRecord, REFUSED } from "./record.ts";

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
      const isRefused = REFUSED.some((status) => status === record.status);
      return issues.length > 0 && (!isRefused || decision === "blocked");
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
