import { type ReactElement, useEffect, useRef, useSyncExternalStore } from "react";
import uPlot from "uplot";
import { colorOf, onThemeChange, themeNow } from "../ui/canvas.ts";
import "uplot/dist/uPlot.min.css";

/** What is counted in each step of time, from the bottom of a bar to its top, with its colour. */
const PARTS = [
  ["success", "--color-chart-plain"],
  ["repaired", "--color-chart-info"],
  ["warning", "--color-chart-warn"],
  ["error", "--color-chart-error"],
  ["rejected", "--color-chart-bad"],
  ["blocked", "--color-chart-bad"],
] as const;

export type Counted = (typeof PARTS)[number][0];

/** The calls of one step of time. */
export interface Bucket extends Readonly<Record<Counted, number>> {
  /** Milliseconds since 1970. */
  readonly time: number;
}

interface Props {
  readonly buckets: readonly Bucket[];
  /** The length of a step in milliseconds. */
  readonly step: number;
  /** A part of the time was chosen; in milliseconds since 1970. */
  readonly onBrush: (since: number, until: number) => void;
}

const HEIGHT = 84;

/** For each part, the height of the bar up to its top: drawn from the last on, each covers what is below. */
export function stacked(buckets: readonly Bucket[]): readonly (readonly number[])[] {
  const sums = buckets.map(() => 0);
  return PARTS.map(([name]) =>
    buckets.map((bucket, index) => {
      sums[index] = (sums[index] ?? 0) + bucket[name];
      return sums[index] ?? 0;
    }),
  );
}

const DAY_MS = 86_400_000;
const two = (value: number): string => String(value).padStart(2, "0");

/** A moment on the axis: its day if the axis is long, else its time of day. */
function axisTime(time: number, span: number): string {
  const date = new Date(time);
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (span > 4 * DAY_MS) return day;
  return span > DAY_MS ? `${day} ${clock}` : clock;
}

function optionsOf(host: HTMLElement, { buckets, step, onBrush }: Props): uPlot.Options {
  const axis = {
    stroke: colorOf(host, "--color-soft"),
    font: "11px Geist Variable, sans-serif",
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) ?? (() => null);
  const first = buckets[0]?.time ?? 0;
  const last = (buckets.at(-1)?.time ?? 0) + step;
  return {
    width: host.clientWidth,
    height: HEIGHT,
    ms: 1,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { time: true, range: () => [first, last] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max)] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        gap: 2,
        space: 80,
        grid: { show: false },
        values: (_plot, splits) => splits.map((time) => axisTime(time, last - first)),
      },
      {
        ...axis,
        size: 34,
        gap: 4,
        splits: (_plot, _axis, _min, max) => [0, max],
        grid: { show: false },
      },
    ],
    series: [
      {},
      ...PARTS.map(([, color]) => {
        const fill = colorOf(host, color);
        return { fill, stroke: fill, width: 0, points: { show: false }, paths: bars };
      }).reverse(),
    ],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onBrush(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
        },
      ],
    },
  };
}

/** How many calls there were over time, by what came of them. Drawing over a part of it chooses that part. */
export default function Histogram({ buckets, step, onBrush }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const brush = useRef(onBrush);
  useEffect(() => {
    brush.current = onBrush;
  });
  const colors = useSyncExternalStore(onThemeChange, themeNow);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas does not take on other colours by itself
  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    const bars = stacked(buckets).toReversed();
    const data: uPlot.AlignedData = [
      buckets.map(({ time }) => time),
      ...bars.map((values) => [...values]),
    ];
    const onBrush: Props["onBrush"] = (since, until) => brush.current(since, until);
    const plot = new uPlot(optionsOf(current, { buckets, step, onBrush }), data, current);
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: current.clientWidth, height: HEIGHT });
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [buckets, step, colors]);
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
