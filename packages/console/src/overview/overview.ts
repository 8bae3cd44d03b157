import type {
  DriftList,
  Overview,
  OverviewBucket,
  ProblemPage,
  ServerSummary,
} from "@touchstone/gateway/api";
import { type CallBucket, refusedCount } from "../activity/call.ts";
import type { GatewayApi } from "../api/gateway.ts";
import type { ShownState } from "../problems/problem.ts";
import { fittedRange } from "../time/fit.ts";
import type { TimeRange } from "../time/range.ts";

/** Why a call was refused, if neither a check nor the server failed. */
export const REFUSALS = ["denied", "held", "out_of_bounds", "limited"] as const;
export type RefusalKind = (typeof REFUSALS)[number];

/** The calls of one time step, as charts draw them. */
export type ChartBucket = CallBucket & Pick<OverviewBucket, "p50_ms" | "p95_ms">;

/** Returns the calls of one time step so that each counts once. */
export function chartBucket(bucket: OverviewBucket): ChartBucket {
  const { time, calls, would_block: warning, repaired, blocked, errors: error } = bucket;
  const refused = refusedCount(bucket);
  // A call that strict mode would have blocked may also have been repaired or have failed.
  const success = Math.max(0, calls - warning - repaired - blocked - error - refused);
  const counts = { success, warning, repaired, blocked, error, refused };
  return { time: Date.parse(time), ...counts, p50_ms: bucket.p50_ms, p95_ms: bucket.p95_ms };
}

/** What the page shows. */
export interface OverviewParts {
  /** The time range that the page covers. */
  readonly range: TimeRange;
  readonly overview: Overview;
  readonly buckets: readonly ChartBucket[];
  /** The first problems of each requested state. */
  readonly problems: ProblemPage;
  readonly servers: readonly ServerSummary[];
  /** The tools whose results differ from their schema, latest first. */
  readonly drifts: DriftList["tools"];
  /** How many tools had results that were compared with their schemas. */
  readonly compared: number;
}

const MAX_SHOWN = 5;

/** Requests everything that the page shows. @param asked automatic if nobody has chosen a time */
export async function loadOverview(
  api: GatewayApi,
  asked: TimeRange,
  state: ShownState,
  signal: AbortSignal,
): Promise<OverviewParts> {
  const range = await fittedRange(api, asked, {}, signal);
  const [overview, problems, servers, { tools }] = await Promise.all([
    api.get("getOverview", { ...range }, signal),
    api.get("listProblems", { ...range, ...(state === "all" ? {} : { state }) }, signal),
    api.get("listServers", {}, signal),
    api.get("listDrift", {}, signal),
  ]);
  return {
    range,
    overview: { ...overview, schema_changes: overview.schema_changes.slice(0, MAX_SHOWN) },
    buckets: overview.buckets.map(chartBucket),
    problems,
    servers,
    compared: tools.length,
    drifts: tools.filter(({ findings }) => findings > 0).slice(0, MAX_SHOWN),
  };
}
