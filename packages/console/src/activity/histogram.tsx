import { type ReactElement, useCallback, useEffect, useRef } from "react";
import uPlot from "uplot";
import { colorOf } from "../ui/canvas.ts";
import { type Drawn, overTime, usePlot } from "../ui/plot.ts";
import type { Bucket, Counted } from "./call.ts";
import "uplot/dist/uPlot.min.css";

/** What each bar counts, from bottom to top, with its colour. */
const PARTS = [
  ["success", "--color-chart-plain"],
  ["repaired", "--color-chart-info"],
  ["warning", "--color-chart-warn"],
  ["error", "--color-chart-error"],
  ["rejected", "--color-chart-bad"],
  ["blocked", "--color-chart-bad"],
] as const satisfies readonly (readonly [Counted, string])[];

interface Props {
  readonly buckets: readonly Bucket[];
  /** The length of a step in milliseconds. */
  readonly step: number;
  /** Called when a time range is selected, in milliseconds since 1970. */
  readonly onBrush: (since: number, until: number) => void;
}

const HEIGHT = 84;

/**
 * Returns the height of the bar up to the top of each part. Parts are drawn last to first, so each covers those
 * beneath.
 */
export function stacked(buckets: readonly Bucket[]): readonly (readonly number[])[] {
  const sums = buckets.map(() => 0);
  return PARTS.map(([name]) =>
    buckets.map((bucket, index) => {
      sums[index] = (sums[index] ?? 0) + bucket[name];
      return sums[index] ?? 0;
    }),
  );
}

/** Formats a count for the axis. */
const countText = (value: number): string => value.toLocaleString("en");

/** Charts the number of calls over time, by result. Dragging across the chart selects that time range. */
export default function Histogram({ buckets, step, onBrush }: Props): ReactElement {
  const brush = useRef(onBrush);
  useEffect(() => {
    brush.current = onBrush;
  });
  const draw = useCallback(
    (host: HTMLElement): Drawn => {
      const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) ?? (() => null);
      const [first, last] = [buckets[0]?.time ?? 0, (buckets.at(-1)?.time ?? 0) + step];
      const options = {
        ...overTime(host, [first, last], countText),
        cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false } },
        series: [
          {},
          ...PARTS.map(([, color]) => {
            const fill = colorOf(host, color);
            return { fill, stroke: fill, width: 0, points: { show: false }, paths: bars };
          }).reverse(),
        ],
        hooks: {
          setSelect: [
            (plot: uPlot) => {
              const { left, width } = plot.select;
              if (width < 4) return;
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              brush.current(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            },
          ],
        },
      };
      const columns = stacked(buckets).toReversed();
      return [options, [buckets.map(({ time }) => time), ...columns.map((each) => [...each])]];
    },
    [buckets, step],
  );
  const host = usePlot(HEIGHT, draw);
  const sum = (name: Counted): number => buckets.reduce((all, bucket) => all + bucket[name], 0);
  const said = PARTS.map(([name]) => `${sum(name)} ${name}`).join(", ");
  return (
    <div
      ref={host}
      className="h-21 cursor-crosshair"
      role="img"
      aria-label={`Calls over time: ${said}`}
    />
  );
}
