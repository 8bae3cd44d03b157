import { orAfter } from "../or-after.ts";
import type { Readiness } from "../relay/http/readiness.ts";
import type { UpstreamState } from "../upstream-status.ts";
import type { LiveRecords } from "./live-records.ts";

/** How long a store that failed may take to work again; whoever probes waits a second, mostly. */
const KEPT_MS = 500;

/** What a gateway is asked of at `/readyz`. */
export interface ReadinessParts {
  readonly records: Pick<LiveRecords, "kept" | "refuses">;
  readonly stopping: boolean;
  readonly states: Readonly<Record<string, UpstreamState>>;
}

/**
 * Whether requests may be sent to the gateway: it is not stopping, and its records are kept, or may
 * be lost as configured. How its servers fare is told, and does not count: one that fails must not
 * take the others out of service.
 */
export async function readinessOf({
  records,
  stopping,
  states,
}: ReadinessParts): Promise<Readiness> {
  const kept = await orAfter(KEPT_MS, records.kept(), () => false);
  const ready = !stopping && (kept || !records.refuses);
  const status = stopping ? "stopping" : ready ? "ready" : "records cannot be kept";
  return { ready, status, details: { records: kept ? "kept" : "failing", servers: states } };
}
