import { dayText, hourText } from "../text/moment.ts";

/** A range of time as an address has it, and as the gateway's API reads it. */
export interface TimeRange {
  /** A length before now such as `15m`, or RFC 3339. Empty: everything is listed, and charts fit the calls. */
  readonly since: string;
  /** RFC 3339, exclusive; empty for now. */
  readonly until: string;
}

/** Begin and end in milliseconds since 1970. */
export interface TimeBounds {
  readonly since: number;
  readonly until: number;
}

export const AUTOMATIC: TimeRange = { since: "", until: "" };

const UNITS: Readonly<Record<string, readonly [ms: number, name: string]>> = {
  s: [1_000, "second"],
  m: [60_000, "minute"],
  h: [3_600_000, "hour"],
  d: [86_400_000, "day"],
  w: [604_800_000, "week"],
};
const LENGTH = /^(\d{1,6})([smhdw])$/;

/** The lengths of time to choose from, shortest first. To add one, add an entry. */
export const LENGTHS: readonly string[] = ["5m", "15m", "1h", "6h", "24h", "7d", "30d", "90d"];

/** The parameters of an address for a time; older links use `period`. */
const NAMES = ["since", "until", "period"] as const;

/** Returns the milliseconds of a length such as `15m`; undefined for other texts. */
export function lengthOf(text: string): number | undefined {
  const [, count = "", unit = ""] = LENGTH.exec(text) ?? [];
  const ms = UNITS[unit]?.[0];
  return ms === undefined || Number(count) === 0 ? undefined : Number(count) * ms;
}

/** Returns the shortest length that is at least that many milliseconds; whole days beyond the longest. */
export function lengthFor(ms: number): string {
  const known = LENGTHS.find((each) => (lengthOf(each) ?? 0) >= ms);
  return known ?? `${Math.ceil(ms / 86_400_000)}d`;
}

/** Reads the range in the parameters of an address. The gateway refuses values that are not times. */
export function readTime(query: string): TimeRange {
  const given = new URLSearchParams(query);
  const since = given.get("since") ?? given.get("period") ?? "";
  return { since, until: given.get("until") ?? "" };
}

/** Returns the parameters of an address with another range; all others stay. */
export function withTime(query: string, { since, until }: TimeRange): string {
  const all = new URLSearchParams(query);
  for (const name of NAMES) all.delete(name);
  if (since !== "") all.set("since", since.toWellFormed());
  if (until !== "") all.set("until", until.toWellFormed());
  return all.toString();
}

/** Returns the range between two moments. */
export function between(since: number, until: number): TimeRange {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

/** Returns begin and end of a range; undefined if it is automatic or not a time. */
export function boundsOf({ since, until }: TimeRange, now: number): TimeBounds | undefined {
  const end = until === "" ? now : Date.parse(until);
  const length = lengthOf(since);
  // As in the gateway: a length counts back from now, whatever the end is.
  const begin = length === undefined ? Date.parse(since) : now - length;
  return Number.isNaN(begin) || Number.isNaN(end) ? undefined : { since: begin, until: end };
}

/**
 * Returns the length of time that charts cover if nobody has chosen one: the shortest with all calls of the last 24
 * hours; if there are none, the shortest with the last call; 24 hours without calls.
 * @param oldest when the first call of the last 24 hours was made, in milliseconds since 1970
 * @param latest when the last call was made
 */
export function fittingLength(
  now: number,
  oldest: number | undefined,
  latest: number | undefined,
): string {
  const begin = oldest ?? latest;
  return begin === undefined ? "24h" : lengthFor(Math.max(0, now - begin));
}

/**
 * Returns a range at least twice as long around the same time: the next longer length up to now, or half as much again on
 * each side, but not beyond now.
 */
export function zoomedOut(range: TimeRange, now: number): TimeRange {
  const bounds = boundsOf(range, now);
  if (bounds === undefined) return AUTOMATIC;
  const span = bounds.until - bounds.since;
  const until = bounds.until + span / 2;
  if (range.until !== "" && until < now) return between(bounds.since - span / 2, until);
  return { since: lengthFor(2 * Math.max(span, now - bounds.since) - 1), until: "" };
}

/** Returns a range as a readable text: `Last 15 minutes`, `Nov 28, 08:00 to 09:30`. */
export function rangeText(range: TimeRange, now: number): string {
  const { since, until } = range;
  const [, count = "", unit = ""] = LENGTH.exec(since) ?? [];
  const name = UNITS[unit]?.[1];
  if (name !== undefined && until === "") {
    return `Last ${Number(count) === 1 ? name : `${count} ${name}s`}`;
  }
  const to = until === "" ? Number.NaN : Date.parse(until);
  const from = boundsOf({ since, until: "" }, now)?.since ?? Number.NaN;
  const moment = (time: number): string => `${dayText(time, now)}, ${hourText(time)}`;
  if (Number.isNaN(from)) return Number.isNaN(to) ? "Automatic" : `Until ${moment(to)}`;
  if (Number.isNaN(to)) return `Since ${moment(from)}`;
  const isOneDay = dayText(from, now) === dayText(to, now);
  return `${moment(from)} to ${isOneDay ? hourText(to) : moment(to)}`;
}
