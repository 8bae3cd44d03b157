/** What half, and all but one of twenty, of the calls took at most, within 5 %; `null` without calls. */
export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

const DAY_MS = 86_400_000;

/**
 * Returns how many intervals an overview of a length of time has at most. From a day on, they are whole hours, which are
 * counted already.
 */
export function overviewBuckets(ms: number): number {
  return ms < DAY_MS ? 61 : 32;
}
