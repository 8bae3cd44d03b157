import { type ReactElement, useCallback } from "react";
import { durationText } from "../text/duration.ts";
import { colorOf } from "../ui/canvas.ts";
import { type Drawn, overTime, usePlot } from "../ui/plot.ts";
import "uplot/dist/uPlot.min.css";
import type { ChartBucket } from "./overview.ts";

const HEIGHT = 84;
/** The lines: their names, what they show, and their colors. */
const LINES = [
  ["p50", "p50_ms", "--color-accent"],
  ["p95", "p95_ms", "--color-warn"],
] as const;

/** Charts call durations over time: the median and the 95th percentile. */
export default function Durations({
  buckets,
  step,
}: {
  readonly buckets: readonly ChartBucket[];
  /** The length of a step in milliseconds. */
  readonly step: number;
}): ReactElement {
  const draw = useCallback(
    (host: HTMLElement): Drawn => {
      const [first, last] = [buckets[0]?.time ?? 0, (buckets.at(-1)?.time ?? 0) + step];
      const options = {
        ...overTime(host, [first, last], durationText),
        cursor: { show: false },
        series: [
          {},
          ...LINES.map(([, , color]) => {
            const stroke = colorOf(host, color);
            return { stroke, width: 1.5, points: { show: true, size: 4, fill: stroke } };
          }),
        ],
      };
      const columns = LINES.map(([, member]) => buckets.map((bucket) => bucket[member]));
      return [options, [buckets.map(({ time }) => time + step / 2), ...columns]];
    },
    [buckets, step],
  );
  const host = usePlot(HEIGHT, draw);
  const most = LINES.map(([name, member]) => {
    const longest = Math.max(0, ...buckets.map((bucket) => bucket[member] ?? 0));
    return `${name} up to ${durationText(longest)}`;
  });
  return (
    <div
      ref={host}
      className="h-21"
      role="img"
      aria-label={`Duration of calls over time: ${most.join(", ")}`}
    />
  );
}
