import { valueOrTimeout } from "@touchstone/util";
import type { UpstreamState } from "../transport/upstream-status.ts";
import type { LiveRecords } from "./live-records.ts";
import { RETRY_AFTER } from "./mcp-routes.ts";
import { plainResponse } from "./responses.ts";

/** How long a failed store may take to recover; probes usually wait a second. */
const KEPT_MS = 500;

/** Whether the gateway takes requests, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** One line for people. */
  readonly status: string;
  /** Details for clients that may use the gateway. Contains no secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The facts that `/readyz` needs. */
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
 * Returns whether the gateway takes requests: it is not stopping, and its records are kept and readable, or the
 * configuration allows losing them. Its servers' status is shown but does not count: a failed server must not take
 * the others out of service.
 */
export async function readinessOf({
  records,
  stopping,
  states,
}: ReadinessParts): Promise<Readiness> {
  const state = await valueOrTimeout(KEPT_MS, stateOf(records), () => "failing" as const);
  const ready = !stopping && (state === "kept" || !records.refuses);
  const status = stopping ? "stopping" : ready ? "ready" : WHY_NOT[state];
  return { ready, status, details: { records: state, servers: states } };
}

/**
 * Returns the response of `/readyz`.
 * @param refused whether the client may not use the gateway. A load balancer has neither a key nor a known host name,
 *   and does not need the list of servers.
 */
export function readinessResponse(
  { ready, status, details }: Readiness,
  refused: boolean,
): Response {
  const headers = ready ? {} : { "retry-after": RETRY_AFTER };
  return plainResponse(ready ? 200 : 503, { status, ...(refused ? {} : details) }, headers);
}
