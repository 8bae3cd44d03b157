import { describeIssue, type Issue, type RootName, RULES } from "@touchstone/core/advanced";
import {
  type ActivityScope,
  badFilter,
  type FilterInput,
  integerParser,
  parseCursor,
  parsePlainScope,
  readFilter,
  withQuery,
} from "./filter.ts";
import { DEFAULT_LIMIT, MAX_CALLS, WITHOUT } from "./filter-names.ts";
import { MAX_TEXT, type QueryKey } from "./query/query.ts";
import { CALL_KEYS, SEARCH_KEYS } from "./query-scope.ts";
import { type ActivityRecord, REFUSED_STATUSES } from "./record.ts";
import type { Call } from "./response-schemas.ts";

/** Selects calls. All conditions must match. */
export interface CallScope extends Omit<ActivityScope, "types"> {}

/** A page of calls. */
export interface CallFilter extends CallScope {
  /** Calls on a page, 1 to 200. */
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the last call of the previous page. */
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
  return parseSearch(input, now, CALL_KEYS);
}

/**
 * Reads the filters of `parseActivityScope`, `rule`, `q` (a text to search for), `problem`, `without` (names that are
 * absent), and a process as `session`.
 * @param keys those of `query`
 * @throws ActivityError `BAD_FILTER`
 */
export function parseSearch(
  input: FilterInput,
  now: Date,
  keys: readonly QueryKey[] = SEARCH_KEYS,
): ActivityScope {
  const { rule, q, query, ...plain } = input;
  const { input: expanded, conditions } = withQuery(query, plain, keys);
  const { problem, without, ...others } = expanded;
  const { session, ...rest } = others;
  const process = session?.startsWith(PROCESS) ? session.slice(PROCESS.length) : undefined;
  const known = RULES.find((one) => one === rule);
  if (rule !== undefined && known === undefined) {
    throw badFilter("rule", `is none of ${RULES.join(", ")}`);
  }
  const absent = WITHOUT.find((one) => one === without);
  if (without !== undefined && absent === undefined) {
    throw badFilter("without", `is none of ${WITHOUT.join(", ")}`);
  }
  if (q !== undefined && q.length > MAX_TEXT)
    throw badFilter("q", `is over ${MAX_TEXT} characters`);
  if (problem !== undefined && !PROBLEM_ID.test(problem)) {
    throw badFilter("problem", "is not the id of a problem: 20 hexadecimal digits");
  }
  const { rules = [], texts = [], ...where } = conditions;
  const all = {
    rules: known === undefined ? rules : [...rules, { values: [known], isExcluded: false }],
    texts: q === undefined || q === "" ? texts : [...texts, { text: q, isExcluded: false }],
  };
  return {
    ...parsePlainScope(process === undefined ? others : rest, now),
    ...where,
    ...(all.rules.length > 0 && { rules: all.rules }),
    ...(all.texts.length > 0 && { texts: all.texts }),
    ...(problem === undefined ? {} : { problem }),
    ...(process === undefined ? {} : { process }),
    ...(absent === undefined ? {} : { without: absent }),
  };
}

const PROBLEM_ID = /^[0-9a-f]{20}$/;

/**
 * Reads a page of calls: the filters of {@link parseCallScope}, `limit` (1 to 200, 50), `cursor`, and `order` (`desc`).
 * @throws ActivityError `BAD_FILTER`
 */
export function parseCallFilter(input: FilterInput, now: Date): CallFilter {
  const { limit, cursor, order = "desc", ...scope } = input;
  if (order !== "asc" && order !== "desc") throw badFilter("order", "is none of asc, desc");
  const after = readFilter({ cursor }, "cursor", parseCursor);
  return {
    ...parseCallScope(scope, now),
    limit: readFilter({ limit }, "limit", integerParser(1, MAX_CALLS)) ?? DEFAULT_LIMIT,
    order,
    ...(after === undefined ? {} : { after }),
  };
}

/** The name of the root in issues, by direction of the decision. */
export const WHOLES: ReadonlyMap<string | null, RootName> = new Map([
  ["input", "the arguments"],
  ["output", "the result"],
  ["protocol", "the message"],
]);

/** The heaviest first. */
const WEIGHT: Readonly<Record<string, number>> = { blocked: 3, repaired: 2, warning: 1 };

/** Combines the decisions about a call with it. */
export function joinDecisions(record: ActivityRecord, decisions: readonly ActivityRecord[]): Call {
  const weight = ({ decision }: ActivityRecord): number => WEIGHT[decision ?? ""] ?? 0;
  const [heaviest] = decisions
    .filter(({ issues, decision }) => {
      const isRefused = REFUSED_STATUSES.some((status) => status === record.status);
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
