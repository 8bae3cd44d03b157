import { RETRY_AFTER } from "../transport/http/routes.ts";
import type { UpstreamState } from "../upstreams/upstream-status.ts";
import { orAfter } from "../util/or-after.ts";
import type { LiveRecords } from "./live-records.ts";
import { plainResponse } from "./responses.ts";

/** How long a store that failed may take to work again; whoever probes waits a second, mostly. */
const KEPT_MS = 500;

/** Whether requests may be sent here, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** One line for people. */
  readonly status: string;
  /** What whoever may use the gateway is told besides. Holds no secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a gateway is asked of at `/readyz`. */
export interface ReadinessParts {
  readonly records: Pick<LiveRecords, "kept" | "readable" | "refuses">;
  readonly stopping: boolean;
  readonly states: Readonly<Record<string, UpstreamState>>;
}

const WHY_NOT = {
  kept: "ready",
  failing: "records cannot be kept",
  unreadable: "records cannot be read",
} as const;

async function stateOf(records: ReadinessParts["records"]): Promise<keyof typeof WHY_NOT> {
  if (!(await records.kept())) return "failing";
  return records.readable ? "kept" : "unreadable";
}

/**
 * Whether requests may be sent to the gateway: it is not stopping, and its records are kept and can be
 * read, or may be lost as configured. The status of its servers is shown, and does not count: one that fails must not
 * take the others out of service.
 */
export async function readinessOf({
  records,
  stopping,
  states,
}: ReadinessParts): Promise<Readiness> {
  const state = await orAfter(KEPT_MS, stateOf(records), () => "failing" as const);
  const ready = !stopping && (state === "kept" || !records.refuses);
  const status = stopping ? "stopping" : ready ? "ready" : WHY_NOT[state];
  return { ready, status, details: { records: state, servers: states } };
}

/**
 * Returns what `/readyz` says.
 * @param refused whether the client may not use the gateway. A balancer has neither the key nor a name that is known
 *   here; it need not know what servers there are.
 */
export function readinessResponse(
  { ready, status, details }: Readiness,
  refused: boolean,
): Response {
  const headers = ready ? {} : { "retry-after": RETRY_AFTER };
  return plainResponse(ready ? 200 : 503, { status, ...(refused ? {} : details) }, headers);
}
