/** What half, and all but one of twenty, of the calls took at most, within 5 %; `null` without calls. */
export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** How far back an overview goes, and its number of intervals. */
export const OVERVIEW_PERIODS = {
  "1h": { ms: 3_600_000, buckets: 61 },
  "24h": { ms: 86_400_000, buckets: 25 },
  "7d": { ms: 604_800_000, buckets: 29 },
} as const;
export type OverviewPeriod = keyof typeof OVERVIEW_PERIODS;
