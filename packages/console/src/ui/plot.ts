import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import uPlot from "uplot";
import { colorOf, onThemeChange, themeNow } from "./canvas.ts";

/** What to draw: the options without a size, and the columns. */
export type Drawn = readonly [options: Omit<uPlot.Options, "width" | "height">, uPlot.AlignedData];

/**
 * Draws a plot as wide as its element, and redraws it when the page's colors change.
 * @param draw returns what to draw; a different function causes a redraw, so keep it with `useCallback`
 * @returns the ref of the element
 */
export function usePlot(
  height: number,
  draw: (host: HTMLElement) => Drawn,
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const colors = useSyncExternalStore(onThemeChange, themeNow);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas does not take on other colors by itself
  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    const [options, data] = draw(current);
    const plot = new uPlot({ ...options, width: current.clientWidth, height }, data, current);
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: current.clientWidth, height });
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [draw, height, colors]);
  return host;
}

const DAY_MS = 86_400_000;
const two = (value: number): string => String(value).padStart(2, "0");

/** The width of the axis of values, and of a letter on an axis, in CSS pixels. */
const VALUES_PX = 44;
const LETTER_PX = 6;

/** Formats a moment on an axis: the day if the axis is long, otherwise the time of day. */
function axisTime(time: number, span: number): string {
  const date = new Date(time);
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (span > 4 * DAY_MS) return day;
  return span > DAY_MS ? `${day} ${clock}` : clock;
}

/** The options that all plots over time share: a time axis below, and the largest value beside it. */
export function overTime(
  host: HTMLElement,
  [first, last]: readonly [first: number, last: number],
  valueText: (value: number) => string,
): Pick<uPlot.Options, "ms" | "padding" | "legend" | "scales" | "axes"> {
  const axis = {
    stroke: colorOf(host, "--color-soft"),
    font: "11px Geist Variable, sans-serif",
    ticks: { show: false },
    grid: { show: false },
  };
  return {
    ms: 1,
    padding: [6, 0, 0, 0],
    legend: { show: false },
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
        values: ({ width }, splits) =>
          splits.map((time) => {
            const text = axisTime(time, last - first);
            const at = ((time - first) / (last - first)) * (width - VALUES_PX);
            const half = (text.length * LETTER_PX) / 2;
            // At an end, it would be cut, or stand over the values.
            return at < half || at > width - VALUES_PX - half ? "" : text;
          }),
      },
      {
        ...axis,
        size: VALUES_PX,
        gap: 4,
        splits: (_plot, _axis, _min, max) => [0, max],
        values: (_plot, splits) => splits.map(valueText),
      },
    ],
  };
}
