import { createHash } from "node:crypto";
import type { Decision, Direction } from "../policy/settings.ts";
import { boundName } from "./build.ts";
import { decodeCursor } from "./cursor.ts";
import { ActivityError } from "./errors.ts";
import {
  ACTIVITY_STATUSES,
  ACTIVITY_TYPES,
  type ActivityStatus,
  type ActivityType,
} from "./record.ts";
import { parseTime, TIME_FORMS } from "./time.ts";

/** Every filter, by the name that it has on the command line and in a query string. */
export const ACTIVITY_FILTERS = [
  "type",
  "server",
  "tool",
  "direction",
  "decision",
  "status",
  "session",
  "request",
  "since",
  "until",
  "limit",
  "offset",
  "cursor",
] as const;
export type ActivityFilterName = (typeof ACTIVITY_FILTERS)[number];

export const DIRECTIONS: readonly Direction[] = ["input", "output", "protocol"];
export const DECISIONS: readonly Decision[] = ["allowed", "warning", "blocked"];
export const MAX_LIMIT = 1000;
export const DEFAULT_LIMIT = 50;

/** Which records to list. All conditions hold at once; a list is met by any of its values. */
export interface ActivityFilter {
  readonly types?: readonly ActivityType[];
  readonly server?: string;
  readonly tool?: string;
  readonly directions?: readonly Direction[];
  readonly decisions?: readonly Decision[];
  readonly statuses?: readonly ActivityStatus[];
  /** `sha256:` and a hex digest. */
  readonly session?: string;
  readonly request?: string;
  /** Earliest moment, itself included. */
  readonly since?: Date;
  /** The moment before which a record must lie. */
  readonly until?: Date;
  /** Records on a page, 1 to 1000. */
  readonly limit: number;
  /** Records to leave out from the newest on; 0 where `after` is given. */
  readonly offset: number;
  /** Id of the last record of the page before. */
  readonly after?: string;
}

/**
 * Reads the filters of a listing, as text from a command line or a query string. `type`, `status`,
 * `direction` and `decision` take comma lists; `since` and `until` an RFC 3339 date-time or a time
 * before now (`15m`, `24h`, `7d`); `session` the stored hash, or the session id itself, which is
 * then hashed; `limit` 1 to 1000 (50); `offset` and `cursor` exclude each other.
 *
 * @param input text by filter name; `undefined` stands for absent
 * @param now what relative times count from
 * @throws ActivityError `BAD_FILTER`, whose text starts with the filter's name and gives the allowed
 *   values; nothing is ever ignored, an unknown name neither
 */
export function parseActivityFilter(
  input: Readonly<Record<string, string | undefined>>,
  now: Date,
): ActivityFilter {
  for (const name of Object.keys(input)) {
    if (!(ACTIVITY_FILTERS as readonly string[]).includes(name)) {
      throw badFilter(name, `is no filter; the filters are ${ACTIVITY_FILTERS.join(", ")}`);
    }
  }
  const read = <T>(name: ActivityFilterName, parse: Parser<T>): T | undefined => {
    const text = Object.hasOwn(input, name) ? input[name] : undefined;
    return text === undefined ? undefined : parse(text, name);
  };
  const since = read("since", timeParser(now));
  const until = read("until", timeParser(now));
  if (since !== undefined && until !== undefined && since > until) {
    throw badFilter("since", `${since.toISOString()} is later than until ${until.toISOString()}`);
  }
  const after = read("cursor", parseCursor);
  const offset = read("offset", integerParser(0, Number.MAX_SAFE_INTEGER));
  if (after !== undefined && offset !== undefined) {
    throw badFilter("offset", "cannot be given together with cursor; use one of them");
  }
  return dropUndefined({
    types: read("type", oneOf(ACTIVITY_TYPES)),
    server: read("server", parseName),
    tool: read("tool", parseName),
    directions: read("direction", oneOf(DIRECTIONS)),
    decisions: read("decision", oneOf(DECISIONS)),
    statuses: read("status", oneOf(ACTIVITY_STATUSES)),
    session: read("session", parseSession),
    request: read("request", parseName),
    since,
    until,
    limit: read("limit", integerParser(1, MAX_LIMIT)) ?? DEFAULT_LIMIT,
    offset: offset ?? 0,
    after,
  });
}

type Parser<T> = (text: string, name: ActivityFilterName) => T;

function badFilter(name: string, problem: string): ActivityError {
  return new ActivityError("BAD_FILTER", `${shown(name)}: ${problem}`, { field: name });
}

/** Hostile text in a message stays one short line. */
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

function parseName(text: string, name: ActivityFilterName): string {
  if (text === "") {
    throw badFilter(name, "must not be empty");
  }
  return boundName(text);
}

function parseSession(text: string, name: ActivityFilterName): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) {
    return text;
  }
  if (text === "" || text.startsWith("sha256:")) {
    throw badFilter(name, "must be a session id, or sha256: and 64 hexadecimal digits");
  }
  return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}

function timeParser(now: Date): Parser<Date> {
  return (text, name) => {
    const moment = parseTime(text, now);
    if (moment === undefined) {
      throw badFilter(name, `${quoted(text)} is not ${TIME_FORMS}`);
    }
    return moment;
  };
}

function integerParser(least: number, most: number): Parser<number> {
  return (text, name) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw badFilter(name, `${quoted(text)} is no whole number from ${least} to ${most}`);
    }
    return value;
  };
}

function parseCursor(text: string, name: ActivityFilterName): string {
  const id = decodeCursor(text);
  if (id === undefined) {
    throw badFilter(name, `${quoted(text)} is no cursor; take the next_cursor of an earlier page`);
  }
  return id;
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function dropUndefined<T extends object>(value: T): Present<T> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
