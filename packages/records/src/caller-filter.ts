import { boundName } from "./bounds.ts";
import {
  badFilter,
  type FilterInput,
  integerParser,
  parseActivityScope,
  readFilter,
} from "./filter.ts";
import { CALLER_SORTS, DEFAULT_LIMIT, MAX_CALLS, SESSION_SORTS } from "./filter-names.ts";

/** Which calls to count. */
export interface CallerTime {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** How a list is ordered, and which page of it to return. */
export interface SortedPage<Sort extends string> {
  readonly sort: Sort;
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** Which sessions to return. */
export interface SessionFilter extends CallerTime, SortedPage<(typeof SESSION_SORTS)[number]> {
  readonly caller?: string | undefined;
  readonly client?: string | undefined;
  readonly server?: string | undefined;
  /** Text that the names contain, in any case. */
  readonly text?: string | undefined;
}

/** Which callers to return. */
export interface CallerFilter extends CallerTime, SortedPage<(typeof CALLER_SORTS)[number]> {
  /** Text that the names contain, in any case. */
  readonly text?: string | undefined;
  readonly now: Date;
}

const MAX_TEXT = 256;

/**
 * Reads a page of sessions: `since`, `until`, `period`, `caller`, `client`, `server`, `q`, `sort`, `order`, `limit` and
 * `cursor`.
 * @throws ActivityError `BAD_FILTER`
 */
export function parseSessionFilter(input: FilterInput, now: Date): SessionFilter {
  const { caller, client, server, ...others } = input;
  const named = parseActivityScope({ caller, client, server }, now);
  return { ...pageOf(others, now, SESSION_SORTS), ...named };
}

/**
 * Reads a page of callers: `since`, `until`, `period`, `q`, `sort`, `order`, `limit` and `cursor`.
 * @throws ActivityError `BAD_FILTER`
 */
export function parseCallerFilter(input: FilterInput, now: Date): CallerFilter {
  return { ...pageOf(input, now, CALLER_SORTS), now };
}

function pageOf<Sort extends string>(input: FilterInput, now: Date, sorts: readonly Sort[]) {
  const { since, until, period, q, sort: by, order = "desc", limit, cursor, ...others } = input;
  for (const name of Object.keys(others)) throw badFilter(name, "is not a filter here");
  if (order !== "asc" && order !== "desc") throw badFilter("order", "is none of asc, desc");
  const sort = by === undefined ? sorts[0] : sorts.find((one) => one === by);
  if (sort === undefined) throw badFilter("sort", `is none of ${sorts.join(", ")}`);
  if (q !== undefined && q.length > MAX_TEXT) {
    throw badFilter("q", `is over ${MAX_TEXT} characters`);
  }
  const scope = parseActivityScope({ since, until, period }, now);
  return {
    since: scope.since,
    until: scope.until,
    text: q === undefined || q === "" ? undefined : boundName(q),
    sort,
    order,
    limit: readFilter({ limit }, "limit", integerParser(1, MAX_CALLS)) ?? DEFAULT_LIMIT,
    cursor,
  } as const;
}
