/** A time range from `since` (inclusive) to `until` (exclusive). */
export interface Bucket {
  readonly since: Date;
  readonly until: Date;
}

export const PERIODS = ["24h", "7d", "14d", "30d"] as const;
/** How far back the page looks. */
export type Period = (typeof PERIODS)[number];

interface Steps {
  readonly count: number;
  readonly unit: "hours" | "days";
  /** Units per bucket. */
  readonly size: number;
}

/** Steps of each period. Each step is one request, so there are at most 14. */
const STEPS: Readonly<Record<Period, Steps>> = {
  "24h": { count: 12, unit: "hours", size: 2 },
  "7d": { count: 7, unit: "days", size: 1 },
  "14d": { count: 14, unit: "days", size: 1 },
  "30d": { count: 10, unit: "days", size: 3 },
};

/** Returns the period with this name; a week if there is none. */
export function periodOf(text: string | null): Period {
  return PERIODS.find((period) => period === text) ?? "7d";
}

function stepBack(from: Date, { unit, size }: Steps, times: number): Date {
  const moved = new Date(from);
  // Use the local calendar, so that days with 23 or 25 hours count as one day.
  if (unit === "days") moved.setDate(moved.getDate() - size * times);
  else moved.setHours(moved.getHours() - size * times);
  return moved;
}

function startOf(now: Date, { unit, size }: Steps): Date {
  const start = new Date(now);
  start.setHours(unit === "days" ? 0 : now.getHours() - (now.getHours() % size), 0, 0, 0);
  return start;
}

/**
 * Returns the time ranges of a period, oldest first, without gaps: whole days or hours of the local time zone. The
 * last one is still running and ends now.
 */
export function bucketsOf(period: Period, now: Date): readonly Bucket[] {
  const steps = STEPS[period];
  const start = startOf(now, steps);
  return Array.from({ length: steps.count }, (_, index) => {
    const back = steps.count - 1 - index;
    const until = back === 0 ? now : stepBack(start, steps, back - 1);
    return { since: stepBack(start, steps, back), until };
  });
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Returns the label of a bucket: its hour, or its first day. */
export function bucketLabel({ since }: Bucket, period: Period): string {
  if (STEPS[period].unit === "hours") return `${two(since.getHours())}:00`;
  return `${two(since.getMonth() + 1)}-${two(since.getDate())}`;
}
