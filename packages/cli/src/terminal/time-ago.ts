import { timeOfDay } from "./time-of-day.ts";

const UNITS = [
  ["s", 1_000, 60],
  ["m", 60_000, 60],
  ["h", 3_600_000, 24],
  ["d", 86_400_000, 7],
] as const;

/**
 * Returns how long ago a time was, rounded down: `39s ago`, `3h ago`. Returns the local date for a week or more, and
 * the local date and time for a time in the future, which comes from another clock.
 */
export function timeAgo(at: Date, now: Date): string {
  const passed = now.getTime() - at.getTime();
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  if (passed < 0) return `${date} ${timeOfDay(at)}`;
  const unit = UNITS.find(([, length, most]) => passed < length * most);
  return unit === undefined ? date : `${Math.floor(passed / unit[1])}${unit[0]} ago`;
}
