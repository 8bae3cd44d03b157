import { type ReactElement, Suspense, useMemo } from "react";
import { type ChartSeries, sumOf } from "../chart/series.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { type Group, rolloutSeries } from "./rollout.ts";
import type { RolloutOverTime } from "./use-rollout.ts";

const TimeChart = lazyPart(() => import("../chart/time-chart.tsx"));

/** Maximum number of groups drawn as lines: more would be indistinguishable. */
const MAX_LINES = 4;

const countText = (value: number): string => value.toLocaleString("en");

/** `3 would be blocked`, `get_weather: 3`; undefined without calls. */
function partOf(by: Group) {
  return ({ name, values }: ChartSeries, first: number, last: number): string | undefined => {
    const count = sumOf({ values: values.slice(first, last + 1) });
    if (count === 0) return undefined;
    return by === "all" ? `${countText(count)} ${name}` : `${name}: ${countText(count)}`;
  };
}

/** Charts the calls that strict would have blocked: among all calls, or by group. */
export function BlockedOverTime({
  found: { whole, buckets, parts },
  by,
  onZoom,
}: {
  readonly found: RolloutOverTime;
  readonly by: Group;
  /** Called with a time range that was selected, in milliseconds since 1970. */
  readonly onZoom: (since: number, until: number) => void;
}): ReactElement {
  const times = useMemo(() => buckets.map(({ since }) => since.getTime()), [buckets]);
  // The last step may have just begun.
  const step = Math.max(1, ...buckets.map(({ since, until }) => Number(until) - Number(since)));
  const series = useMemo(() => rolloutSeries(whole, parts, by, MAX_LINES), [whole, parts, by]);
  const isAll = by === "all";
  const noun = isAll ? "Calls" : "Calls that strict would have blocked";
  return (
    <div className="min-h-35">
      <ErrorBoundary fallback={null}>
        <Suspense fallback={<p role="status">Drawing …</p>}>
          <TimeChart
            label={`${noun} over time`}
            keysLabel="Time range of calls"
            look={isAll ? "bars" : "lines"}
            isWhole
            {...{ times, step, series, onZoom }}
            partOf={partOf(by)}
            text={countText}
          />
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}
