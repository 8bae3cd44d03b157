import { type ReactElement, useMemo } from "react";
import { type ChartSeries, sumOf } from "../chart/series.ts";
import TimeChart from "../chart/time-chart.tsx";
import type { CallBucket, CallCategory } from "./call.ts";

/** What each bar counts, from bottom to top, with its color. */
const PARTS = [
  ["success", "--color-chart-plain"],
  ["repaired", "--color-chart-info"],
  ["warning", "--color-chart-warn"],
  ["error", "--color-chart-error"],
  ["refused", "--color-chart-refused"],
  ["blocked", "--color-chart-bad"],
] as const satisfies readonly (readonly [CallCategory, string])[];

/** Formats a count. */
const countText = (value: number): string => value.toLocaleString("en");

/** `1 error`, `3 errors`, `3 blocked`; undefined without calls. */
function partOf({ name, values }: ChartSeries, first: number, last: number): string | undefined {
  const count = sumOf({ values: values.slice(first, last + 1) });
  const isNoun = name === "error" || name === "warning";
  return count === 0 ? undefined : `${countText(count)} ${name}${isNoun && count !== 1 ? "s" : ""}`;
}

/** Charts the number of calls over time, by result. */
export default function Histogram({
  buckets,
  step,
  onBrush,
}: {
  readonly buckets: readonly CallBucket[];
  /** The length of a step in milliseconds. */
  readonly step: number;
  /** Called when a time range is selected, in milliseconds since 1970. */
  readonly onBrush: (since: number, until: number) => void;
}): ReactElement {
  const times = useMemo(() => buckets.map(({ time }) => time), [buckets]);
  const series = useMemo(
    () =>
      PARTS.map(([name, color]) => ({ name, color, values: buckets.map((each) => each[name]) })),
    [buckets],
  );
  return (
    <TimeChart
      label="Calls over time"
      keysLabel="Time range of calls"
      look="bars"
      isWhole
      {...{ times, step, series, partOf }}
      text={countText}
      onZoom={onBrush}
    />
  );
}
