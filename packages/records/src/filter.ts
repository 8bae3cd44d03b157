import type { Outcome } from "@touchstone/core/advanced";
import { boundName } from "./bounds.ts";
import { decodeCursor } from "./cursor.ts";
import { ActivityError } from "./errors.ts";
import { FIELDS } from "./fields.ts";
import {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  DEFAULT_LIMIT,
  MAX_LIMIT,
  type Without,
} from "./filter-names.ts";
import type { ProblemKey } from "./problem-key.ts";
import type { QueryKey } from "./query/query.ts";
import { expandQuery, type QueryConditions, RECORD_KEYS } from "./query-scope.ts";
import { type Decision, type Direction, FIELD_FILTERS, type FieldFilterScope } from "./record.ts";
import { sessionHash } from "./session-hash.ts";
import { parseTime, TIME_FORMATS_TEXT } from "./time.ts";

export {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  type ActivityFilterName,
  DEFAULT_LIMIT,
  MAX_LIMIT,
} from "./filter-names.ts";

export const DIRECTIONS: readonly Direction[] = FIELDS.direction.schema.enum;
export const DECISIONS: readonly Decision[] = FIELDS.decision.schema.enum;
/** The outcomes of a check. */
export const OUTCOMES: readonly Outcome[] = FIELDS.outcome.schema.enum;

/**
 * Selects records. All conditions must match; a list matches by any of its values. `session` is `sha256:` and a hex
 * digest.
 */
export interface ActivityScope extends FieldFilterScope, QueryConditions {
  /** Earliest time, inclusive. */
  readonly since?: Date;
  /** Latest time, exclusive. */
  readonly until?: Date;
  /** For calls: the id of a problem in a decision about the call. */
  readonly problem?: string;
  /** The key of that problem, from the store; null if the problem is unknown. */
  readonly issue?: ProblemKey | null;
  /** The process that recorded it, for records without a session: it serves as their conversation. */
  readonly process?: string;
  /** For calls: which names are absent. */
  readonly without?: Without;
}

/** A page of the records that meet a scope. */
export interface ActivityFilter extends ActivityScope {
  /** Records on a page, 1 to 1000. */
  readonly limit: number;
  /** How many of the newest records to skip; 0 if `after` is set. */
  readonly offset: number;
  /** Id of the last record of the previous page. */
  readonly after?: string;
}

/** Text by filter name; `undefined` means absent. */
export type FilterInput = Readonly<Record<string, string | undefined>>;

/**
 * Reads the filters of a listing, as text from a command line or a query string. `type`, `status`, `direction`,
 * `decision` and `outcome` take comma lists; `since` and `until` an RFC 3339 date-time or a time before now (`15m`,
 * `24h`, `7d`); `session` the stored hash, or the session id, which is then hashed; `limit` 1 to 1000 (50); `offset`
 * and `cursor` exclude each other; `query` is a text with further filters, which {@link parseQuery} reads.
 *
 * @param input text by filter name; `undefined` means absent
 * @param now the time that relative times refer to
 * @throws ActivityError `BAD_FILTER`, whose text starts with the filter's name and lists the allowed values; nothing
 *   is ignored, not even an unknown name
 */
export function parseActivityFilter(input: FilterInput, now: Date): ActivityFilter {
  const { query, ...plain } = input;
  refuseOthers(plain, ACTIVITY_FILTERS);
  const after = readFilter(plain, "cursor", parseCursor);
  const offset = readFilter(plain, "offset", integerParser(0, Number.MAX_SAFE_INTEGER));
  if (after !== undefined && offset !== undefined) {
    throw badFilter("offset", "cannot be given together with cursor; use one of them");
  }
  const whole = withQuery(query, plain, RECORD_KEYS);
  return {
    ...scopeOf(whole.input, now),
    ...recordsOnly(whole.conditions),
    limit: readFilter(plain, "limit", integerParser(1, MAX_LIMIT)) ?? DEFAULT_LIMIT,
    offset: offset ?? 0,
    ...(after === undefined ? {} : { after }),
  };
}

/**
 * Reads the filters that apply to all pages: those of {@link parseActivityFilter} without `limit`, `offset` and
 * `cursor`, and `period` (`15m`, `24h`, `7d`), which sets `since` to that long ago.
 *
 * @throws ActivityError `BAD_FILTER`, as {@link parseActivityFilter} does
 */
export function parseActivityScope(input: FilterInput, now: Date): ActivityScope {
  const { query, ...plain } = input;
  const whole = withQuery(query, plain, RECORD_KEYS);
  return { ...parsePlainScope(whole.input, now), ...recordsOnly(whole.conditions) };
}

/**
 * Adds the filters of a query to others.
 * @throws ActivityError `BAD_FILTER`, with every problem of the query
 */
export function withQuery(
  query: string | undefined,
  input: FilterInput,
  keys: readonly QueryKey[],
): { readonly input: FilterInput; readonly conditions: QueryConditions } {
  if (query === undefined) return { input, conditions: {} };
  const given = Object.keys(input).filter((name) => input[name] !== undefined);
  if (input["period"] !== undefined) given.push("since");
  const expanded = expandQuery(query, keys, new Set(given));
  const [problem] = expanded.problems;
  if (problem !== undefined) throw badFilter("query", expanded.problems.join(" "));
  return { input: { ...input, ...expanded.input }, conditions: expanded.conditions };
}

/** @throws ActivityError for a text: all records would have to be read */
function recordsOnly(conditions: QueryConditions): QueryConditions {
  const { texts: [text] = [] } = conditions;
  if (text === undefined) return conditions;
  throw badFilter(
    "query",
    `${quoted(text.text)} is text to search for, which only the console, GET /api/v1/calls and exports do; a filter has the form key:value`,
  );
}

/** As {@link parseActivityScope}, without `query`. */
export function parsePlainScope(input: FilterInput, now: Date): ActivityScope {
  refuseOthers(input, [...ACTIVITY_SCOPES, "period"]);
  const { period, ...rest } = input;
  if (period === undefined) return scopeOf(rest, now);
  if (rest["since"] !== undefined) {
    throw badFilter("period", "cannot be given together with since; use one of them");
  }
  if (!PERIOD.test(period)) {
    throw badFilter("period", `${quoted(period)} is not a length of time such as 15m, 24h or 7d`);
  }
  if (parseTime(period, now) === undefined) {
    throw badFilter("period", `${quoted(period)} goes back too far`);
  }
  return scopeOf({ ...rest, since: period }, now, "period");
}

const PERIOD = /^\d{1,9}[smhdw]$/;

function refuseOthers(input: FilterInput, allowed: readonly string[]): void {
  for (const name of Object.keys(input)) {
    if (input[name] !== undefined && !allowed.includes(name)) {
      throw badFilter(name, `is not a filter here; the filters are ${allowed.join(", ")}`);
    }
  }
}

/** @param begin the filter that set `since` */
function scopeOf(
  input: FilterInput,
  now: Date,
  begin: "since" | "period" = "since",
): ActivityScope {
  const since = readFilter(input, "since", timeParser(now));
  const until = readFilter(input, "until", timeParser(now));
  if (since !== undefined && until !== undefined && since > until) {
    throw badFilter(begin, `${since.toISOString()} is later than until ${until.toISOString()}`);
  }
  const members = FIELD_FILTERS.map(({ name, field, scope, values }) => {
    const text: Parser<string> = field === "session" ? parseSession : parseName;
    const parse: Parser<string | readonly string[]> = values === undefined ? text : oneOf(values);
    return [scope, readFilter(input, name, parse)] as const;
  });
  return dropUndefined({ ...Object.fromEntries(members), since, until });
}

export function readFilter<T>(input: FilterInput, name: string, parse: Parser<T>): T | undefined {
  const text = Object.hasOwn(input, name) ? input[name] : undefined;
  return text === undefined ? undefined : parse(text, name);
}

type Parser<T> = (text: string, name: string) => T;

export function badFilter(name: string, problem: string): ActivityError {
  return new ActivityError("BAD_FILTER", `${shown(name)}: ${problem}`, { field: name });
}

/** Puts hostile text into a message as one short line. */
function shown(text: string): string {
  return boundName(text.length > 64 ? `${text.slice(0, 63)}…` : text);
}

function quoted(text: string): string {
  return JSON.stringify(shown(text));
}

function oneOf<T extends string>(allowed: readonly T[]): Parser<readonly T[]> {
  return (text, name) => {
    const values = text.split(",").map((value) => value.trim());
    return [...new Set(values)].map((value) => {
      const known = allowed.find((candidate) => candidate === value);
      if (known === undefined) {
        throw badFilter(name, `${quoted(value)} is none of ${allowed.join(", ")}`);
      }
      return known;
    });
  };
}

function parseName(text: string, name: string): string {
  if (text === "") {
    throw badFilter(name, "must not be empty");
  }
  return boundName(text);
}

function parseSession(text: string, name: string): string {
  const hash = sessionHash(text);
  if (text === "" || (text.startsWith("sha256:") && hash !== text)) {
    throw badFilter(name, "must be a session id, or sha256: and 64 hexadecimal digits");
  }
  return hash;
}

function timeParser(now: Date): Parser<Date> {
  return (text, name) => {
    const moment = parseTime(text, now);
    if (moment === undefined) {
      throw badFilter(name, `${quoted(text)} is not ${TIME_FORMATS_TEXT}`);
    }
    return moment;
  };
}

export function integerParser(least: number, most: number): Parser<number> {
  return (text, name) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw badFilter(name, `${quoted(text)} is not a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

export function parseCursor(text: string, name: string): string {
  const id = decodeCursor(text);
  if (id === undefined) {
    throw badFilter(
      name,
      `${quoted(text)} is not a cursor; take the next_cursor of an earlier page`,
    );
  }
  return id;
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function dropUndefined<T extends object>(value: T): Present<T> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
