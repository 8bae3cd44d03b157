const RELATIVE = /^(\d{1,9})([smhdw])$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** What {@link parseTime} accepts, for error messages. */
export const TIME_FORMATS_TEXT: string =
  "an RFC 3339 date-time such as 2026-08-31T09:00:00Z, or a time before now such as 15m, 24h or 7d";

/**
 * Reads a time: an RFC 3339 `date-time` (section 5.6; an offset is required, digits beyond the millisecond are cut
 * off), or a number of `s`, `m`, `h`, `d` or `w` before `now`.
 *
 * @returns the time; undefined if the text is neither, names a day that does not exist, or is outside the years 0000
 *   to 9999 in UTC
 */
export function parseTime(text: string, now: Date): Date | undefined {
  const relative = RELATIVE.exec(text);
  const milliseconds = relative
    ? now.getTime() - Number(relative[1]) * (UNIT_MS[relative[2] ?? ""] ?? Number.NaN)
    : dateTime(text);
  const moment = new Date(milliseconds);
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9999 ? moment : undefined;
}

function dateTime(text: string): number {
  const match = DATE_TIME.exec(text);
  if (match === null) {
    return Number.NaN;
  }
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  const moment = new Date(0);
  // Date.UTC would treat the years 0 to 99 as 1900 to 1999.
  moment.setUTCFullYear(year, month - 1, day);
  const isRealDay = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day;
  if (!isRealDay || hour > 23 || minute > 59 || second > 60) {
    return Number.NaN;
  }
  if (offsetHour > 23 || offsetMinute > 59) {
    return Number.NaN;
  }
  const offset = (match[8] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const fraction = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  return moment.setUTCHours(hour, minute - offset, second, fraction);
}
