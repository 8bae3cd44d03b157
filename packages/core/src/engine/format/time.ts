const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(z|[+-]\d\d:\d\d)?$/i;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DATE_LENGTH = "2020-01-01".length;

/** `full-date` of RFC 3339, section 5.6, with the days of appendix C. */
export function isDate(text: string): boolean {
  if (text.length !== DATE_LENGTH) return false;
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function minutes(hour: number, minute: number): number {
  return hour * 60 + minute;
}

/** Checks for `full-time` of RFC 3339, section 5.6; if `zone` is not required, accepts `partial-time` too. */
function isTimeOf(text: string, zone: boolean): boolean {
  const [, hours, mins, seconds, offset] = TIME.exec(text) ?? [];
  if (hours === undefined || (zone && offset === undefined)) return false;
  const [hour, minute, second] = [Number(hours), Number(mins), Number(seconds)];
  if (hour > 23 || minute > 59 || second > 60) return false;
  let away = 0;
  if (offset !== undefined && offset.length > 1) {
    const [offsetHour, offsetMinute] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
    if (offsetHour > 23 || offsetMinute > 59) return false;
    away = minutes(offsetHour, offsetMinute) * (offset.startsWith("-") ? -1 : 1);
  }
  // A leap second is the last second of a day in UTC (section 5.7).
  const day = minutes(24, 0);
  return second < 60 || (minutes(hour, minute) - away + day) % day === day - 1;
}

/** Checks for `full-time` of RFC 3339, section 5.6. */
export function isTime(text: string): boolean {
  return isTimeOf(text, true);
}

/** Checks for the same, but the offset is optional, as in ajv-formats. */
export function isIsoTime(text: string): boolean {
  return isTimeOf(text, false);
}

/** Checks for `date-time` of RFC 3339, section 5.6. */
export function isDateTime(text: string): boolean {
  return (
    /^t$/i.test(text.charAt(DATE_LENGTH)) &&
    isDate(text.slice(0, DATE_LENGTH)) &&
    isTime(text.slice(DATE_LENGTH + 1))
  );
}

/** Checks for the same, but the offset is optional and a space may be the separator, as in ajv-formats. */
export function isIsoDateTime(text: string): boolean {
  return (
    /^[t\s]$/i.test(text.charAt(DATE_LENGTH)) &&
    isDate(text.slice(0, DATE_LENGTH)) &&
    isIsoTime(text.slice(DATE_LENGTH + 1))
  );
}

const WEEKS = /^\d+W$/;
/** Units may be omitted at the start and at the end of a duration, but not in between. */
const DATE_UNITS = /^(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)$/;
const TIME_UNITS = /^(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)$/;

/** Checks for a `duration` of RFC 3339, appendix A. */
export function isDuration(text: string): boolean {
  if (!text.startsWith("P")) return false;
  const at = text.indexOf("T");
  if (at < 0) return WEEKS.test(text.slice(1)) || DATE_UNITS.test(text.slice(1));
  const date = text.slice(1, at);
  return (date === "" || DATE_UNITS.test(date)) && TIME_UNITS.test(text.slice(at + 1));
}
