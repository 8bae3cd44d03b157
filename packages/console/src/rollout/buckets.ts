import { boundsOf, type TimeRange } from "../time/range.ts";

/** A step in time from `since` (inclusive) to `until` (exclusive). */
export interface TimeBucket {
  readonly since: Date;
  readonly until: Date;
}

/** The range that the page covers if the user has not chosen one: long enough to show how tools are called. */
export const ROLLOUT_RANGE: TimeRange = { since: "7d", until: "" };

/** Each step is one request. */
const MOST_STEPS = 14;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Unit {
  readonly name: "days" | "hours" | "minutes";
  readonly ms: number;
  /** The minimum length of a range that is split into steps of this unit. */
  readonly from: number;
  /** How many units one step may have. */
  readonly sizes: readonly number[];
}

const MINUTES: Unit = { name: "minutes", ms: MINUTE_MS, from: 0, sizes: [1, 2, 5, 10, 15] };
const UNITS: readonly Unit[] = [
  { name: "days", ms: DAY_MS, from: 2 * DAY_MS, sizes: [1, 2, 3, 7, 14, 30, 90] },
  { name: "hours", ms: HOUR_MS, from: 2 * HOUR_MS, sizes: [1, 2, 3, 4, 6] },
  MINUTES,
];

interface Steps {
  readonly unit: Unit["name"];
  /** Units per step. */
  readonly size: number;
  readonly count: number;
}

function stepsFor(length: number): Steps {
  const { name, ms, sizes } = UNITS.find(({ from }) => length >= from) ?? MINUTES;
  const units = Math.max(1, Math.ceil(length / ms));
  const known = sizes.find((size) => Math.ceil(units / size) <= MOST_STEPS);
  const size = known ?? Math.ceil(units / MOST_STEPS);
  return { unit: name, size, count: Math.ceil(units / size) };
}

function stepBack(from: Date, { unit, size }: Steps, times: number): Date {
  const moved = new Date(from);
  // Use the local calendar, so that days with 23 or 25 hours count as one day.
  if (unit === "days") moved.setDate(moved.getDate() - size * times);
  else if (unit === "hours") moved.setHours(moved.getHours() - size * times);
  else moved.setMinutes(moved.getMinutes() - size * times);
  return moved;
}

/** Returns the start of the step that contains a moment. */
function startOf(moment: Date, { unit, size }: Steps): Date {
  const start = new Date(moment);
  const hour = moment.getHours();
  const minute = moment.getMinutes();
  if (unit === "days") start.setHours(0, 0, 0, 0);
  else if (unit === "hours") start.setHours(hour - (hour % size), 0, 0, 0);
  else start.setMinutes(minute - (minute % size), 0, 0);
  return start;
}

/**
 * Returns the steps of a range, oldest first, without gaps: whole days, hours or minutes of the local time zone; the
 * last step ends with the range. A range between two moments begins exactly at the first moment; a range that is a
 * length before now begins with a whole step.
 */
export function bucketsOf(range: TimeRange, now: Date): readonly TimeBucket[] {
  const at = now.getTime();
  const bounds = boundsOf(range, at) ?? boundsOf(ROLLOUT_RANGE, at) ?? { since: at, until: at };
  const end = new Date(bounds.until);
  const steps = stepsFor(bounds.until - bounds.since);
  const isExact = range.until !== "";
  // The first step may be shorter.
  const count = steps.count + (isExact ? 1 : 0);
  const start = startOf(end, steps);
  const whole = Array.from({ length: count }, (_, index): TimeBucket => {
    const back = count - 1 - index;
    const until = back === 0 ? end : stepBack(start, steps, back - 1);
    return { since: stepBack(start, steps, back), until };
  });
  const begin = new Date(bounds.since);
  return isExact
    ? whole
        .filter(({ until }) => until > begin)
        .map((bucket) => (bucket.since < begin ? { ...bucket, since: begin } : bucket))
    : whole;
}
