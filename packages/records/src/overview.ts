/** The median and the 95th percentile of the calls' durations, within 5 %; `null` without calls. */
export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

const DAY_MS = 86_400_000;

/**
 * Returns into how many intervals an overview of a given length is divided at most. From a day on, they are whole
 * hours, for which counts exist.
 */
export function overviewBuckets(ms: number): number {
  return ms < DAY_MS ? 61 : 32;
}
