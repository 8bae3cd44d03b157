import type { ResponseOf } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { REFUSED_STATUSES, refusedCount } from "../activity/call.ts";
import { writeFilters } from "../activity/filter.ts";
import { hashOf } from "../page/route.ts";
import { durationText } from "../text/duration.ts";

/** The period for which a server's calls are counted. */
export const TRAFFIC_PERIOD = "24h";

/** Results of the calls to a server. */
export interface Traffic {
  readonly calls: number;
  readonly blocked: number;
  /** Calls that failed at the server. */
  readonly errors: number;
  /** Calls that policy, a pin, narrow or a limit refused. */
  readonly refused: number;
  /** Null if there are no calls. */
  readonly meanMs: number | null;
  /** Within 5 %; null if there are no calls. */
  readonly p95Ms: number | null;
}

export const NO_TRAFFIC: Traffic = {
  calls: 0,
  blocked: 0,
  errors: 0,
  refused: 0,
  meanMs: null,
  p95Ms: null,
};

/** Results of calls by server, and how many servers with few calls are left out. */
export interface AllTraffic {
  readonly of: (server: string) => Traffic;
  readonly leftOut: number;
}

/** Returns the results of calls; none if they are unknown. */
export function trafficOf(summary: ResponseOf<"summariseActivity"> | undefined): AllTraffic {
  const found = new Map<string, Traffic>();
  for (const { server, ...totals } of summary?.servers ?? []) {
    if (server === null) continue;
    found.set(server, {
      calls: totals.calls,
      blocked: totals.blocked,
      errors: totals.error,
      refused: refusedCount(totals),
      meanMs: totals.mean_ms,
      p95Ms: totals.p95_ms,
    });
  }
  return {
    of: (server) => found.get(server) ?? NO_TRAFFIC,
    leftOut: summary?.servers_left_out ?? 0,
  };
}

/** Shows the results of a server's calls in the last 24 hours; each figure links to the calls it counts. */
export function TrafficFigures({
  server,
  traffic: { calls, blocked, errors, refused, meanMs },
}: {
  readonly server: string;
  readonly traffic: Traffic;
}): ReactElement {
  const listed = (status?: string): string =>
    hashOf("activity", "", writeFilters({ server, since: TRAFFIC_PERIOD, status }));
  const figures: readonly (readonly [label: string, count: number, href: string, tone: string])[] =
    [
      ["Calls", calls, listed(), "text-text"],
      ["Blocked", blocked, listed("blocked"), "text-bad"],
      ["Refused", refused, listed(REFUSED_STATUSES.join(",")), "text-warn"],
      ["Errors", errors, listed("error"), "text-error"],
    ];
  return (
    <dl
      className="grid grid-cols-5 gap-2 rounded-md bg-sunken px-3 py-2"
      aria-label="Calls of the last 24 hours"
    >
      {figures.map(([label, count, href, tone]) => (
        <div key={label} className="min-w-0">
          <dt className="text-xs text-soft">{label}</dt>
          <dd className="font-semibold tabular-nums">
            <a
              className={`underline-offset-2 hover:underline ${count > 0 ? tone : "text-soft"}`}
              href={href}
            >
              {count.toLocaleString("en")}
            </a>
          </dd>
        </div>
      ))}
      <div className="min-w-0">
        <dt className="text-xs text-soft">Mean time</dt>
        <dd className="font-semibold tabular-nums">
          {meanMs === null ? <span className="text-soft">–</span> : durationText(meanMs)}
        </dd>
      </div>
    </dl>
  );
}
