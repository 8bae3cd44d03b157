import type { Percentiles } from "../overview.ts";

/**
 * Each bucket ends at 1.1 times its start, so its middle differs by at most 4.8 % from every duration in it. The
 * first bucket contains durations up to a microsecond.
 */
const GROWTH = 1.1;
const LEAST_MS = 0.001;
const FIRST = Math.ceil(Math.log(LEAST_MS) / Math.log(GROWTH));

/** The number of durations in each bucket. */
export type Durations = Map<number, number>;

/**
 * SQL for the text of one record's duration, in the format of {@link durationsText}; NULL if it has none. Such texts,
 * joined by spaces, are the text of all their durations.
 */
export const DURATION: string = `CASE WHEN duration_ms > ${LEAST_MS}
    THEN CAST(CAST(ceil(ln(duration_ms) / ${Math.log(GROWTH)}) AS INTEGER) AS TEXT) || ':1'
  WHEN duration_ms IS NOT NULL THEN '${FIRST}:1' END`;

/** Adds the durations of a text. Invalid parts, as after tampering, are skipped. */
export function addDurations(to: Durations, text: string | null): void {
  if (text === null || text === "") return;
  for (const part of text.split(" ")) {
    const colon = part.indexOf(":");
    const [bucket, count] = [Number(part.slice(0, colon)), Number(part.slice(colon + 1))];
    if (colon < 1 || !Number.isSafeInteger(bucket) || !(count > 0)) continue;
    to.set(bucket, (to.get(bucket) ?? 0) + count);
  }
}

/** Returns durations as a text, such as `37:12 38:4`: twelve in bucket 37, four in bucket 38. */
export function durationsText(durations: Durations): string {
  return [...durations].map(([bucket, count]) => `${bucket}:${count}`).join(" ");
}

/** Returns the nearest-rank percentiles, each at most 5 % from the exact one. */
export function percentilesOf(durations: Durations): Percentiles {
  const sorted = [...durations].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const at = (part: number): number | null => {
    let left = Math.max(1, Math.ceil(total * part));
    for (const [bucket, count] of sorted) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return null;
  };
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}

/** Returns the duration whose ratio to the start of the bucket equals the ratio of the end to it. */
function middleOf(bucket: number): number {
  return Number(((2 * GROWTH ** bucket) / (1 + GROWTH)).toPrecision(4));
}
