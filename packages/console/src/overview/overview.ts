import type { Drifts, Overview, OverviewBucket, ServerSummary } from "@touchstone/gateway/api";
import { type Bucket, refusedOf } from "../activity/call.ts";
import type { GatewayApi } from "../api/gateway.ts";

/** The periods to choose from. To add one, add an entry. */
export const PERIODS = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const;
export type Period = (typeof PERIODS)[number][0];

/** Returns the period in an address; the last 24 hours if there is none. */
export function periodOf(query: string): Period {
  const given = new URLSearchParams(query).get("period");
  return PERIODS.find(([period]) => period === given)?.[0] ?? "24h";
}

/** Why a call was refused, if neither a check nor the server failed. */
export const REFUSALS = ["denied", "held", "out_of_bounds", "limited"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** The calls of one time step, as charts draw them. */
export type ChartBucket = Bucket & Pick<OverviewBucket, "p50_ms" | "p95_ms">;

/** Returns the calls of one time step so that each counts once. */
export function chartBucket(bucket: OverviewBucket): ChartBucket {
  const { time, calls, would_block: warning, repaired, blocked, errors: error } = bucket;
  const refused = refusedOf(bucket);
  // A call that strict mode would have blocked may also have been repaired or have failed.
  const success = Math.max(0, calls - warning - repaired - blocked - error - refused);
  const counts = { success, warning, repaired, blocked, error, refused };
  return { time: Date.parse(time), ...counts, p50_ms: bucket.p50_ms, p95_ms: bucket.p95_ms };
}

/** What the page shows. */
export interface OverviewParts {
  readonly overview: Overview;
  readonly buckets: readonly ChartBucket[];
  readonly servers: readonly ServerSummary[];
  /** The tools whose results differ from their schema, latest first. */
  readonly drifts: Drifts["tools"];
}

const MAX_SHOWN = 5;

/** Requests everything that the page shows. */
export async function loadOverview(
  api: GatewayApi,
  period: Period,
  signal: AbortSignal,
): Promise<OverviewParts> {
  const [overview, servers, { tools }] = await Promise.all([
    api.get("getOverview", { period }, signal),
    api.get("listServers", {}, signal),
    api.get("listDrift", {}, signal),
  ]);
  return {
    overview: { ...overview, schema_changes: overview.schema_changes.slice(0, MAX_SHOWN) },
    buckets: overview.buckets.map(chartBucket),
    servers,
    drifts: tools.filter(({ findings }) => findings > 0).slice(0, MAX_SHOWN),
  };
}
