/** What half, and all but one of twenty, of the calls took at most, within 5 %; `null` without calls. */
export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** The calls in one time interval. */
export interface OverviewBucket extends Percentiles {
  readonly time: string;
  readonly calls: number;
  readonly blocked: number;
  /** How many calls strict mode would have blocked. */
  readonly would_block: number;
  readonly repaired: number;
  /** Calls that ended with an error or were rejected. */
  readonly errors: number;
}

/** A tool with calls that were blocked, would have been blocked, or failed. */
export interface Offender {
  readonly server: string | null;
  readonly tool: string | null;
  readonly calls: number;
  readonly blocked: number;
  readonly would_block: number;
  readonly errors: number;
}

/** How calls were doing. */
export interface Overview {
  readonly since: string;
  readonly until: string;
  readonly bucket_ms: number;
  readonly buckets: readonly OverviewBucket[];
  readonly totals: Omit<OverviewBucket, "time"> & { readonly error_rate: number };
  readonly offenders: readonly Offender[];
  readonly schema_changes: readonly {
    readonly id: string;
    readonly time: string;
    readonly server: string | null;
    readonly tool: string | null;
    readonly reason: string | null;
  }[];
  /** The time from which calls were counted, if there were too many to count them all. */
  readonly counted_from: string | null;
}

/** How far back an overview goes, and its number of intervals. */
export const OVERVIEW_PERIODS = {
  "1h": { ms: 3_600_000, buckets: 61 },
  "24h": { ms: 86_400_000, buckets: 25 },
  "7d": { ms: 604_800_000, buckets: 29 },
} as const;
export type OverviewPeriod = keyof typeof OVERVIEW_PERIODS;
