import { type ReactElement, useMemo } from "react";
import type { ChartSeries } from "../chart/series.ts";
import TimeChart from "../chart/time-chart.tsx";
import { durationText } from "../text/duration.ts";
import type { ChartBucket } from "./overview.ts";

/** The lines: their names, what they show, and their colors. */
const LINES = [
  ["Median", "p50_ms", "--color-accent"],
  ["p95", "p95_ms", "--color-warn"],
] as const;

/** Returns `p95 3.2 ms`, or `p95 up to 8 ms` over several steps; undefined if no call ended. */
function partOf({ name, values }: ChartSeries, first: number, last: number): string | undefined {
  const part = values.slice(first, last + 1).filter((value) => value !== null);
  if (part.length === 0) return undefined;
  return `${name} ${first === last ? "" : "up to "}${durationText(Math.max(...part))}`;
}

/** Charts call durations over time: the median and the 95th percentile. */
export default function Durations({
  buckets,
  step,
  onBrush,
}: {
  readonly buckets: readonly ChartBucket[];
  /** The length of a step in milliseconds. */
  readonly step: number;
  /** Called when a time range is selected, in milliseconds since 1970. */
  readonly onBrush: (since: number, until: number) => void;
}): ReactElement {
  const times = useMemo(() => buckets.map(({ time }) => time), [buckets]);
  const series = useMemo(
    () =>
      LINES.map(([name, member, color]) => {
        const values = buckets.map((each) => each[member]);
        return { name, color, values };
      }),
    [buckets],
  );
  return (
    <TimeChart
      label="Duration of calls over time"
      keysLabel="Time range of durations"
      look="lines"
      {...{ times, step, series, partOf }}
      text={durationText}
      onZoom={onBrush}
    />
  );
}
