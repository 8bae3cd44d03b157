import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import uPlot from "uplot";
import { dayText, hourText } from "../text/moment.ts";
import { colorOf, currentTheme, onThemeChange } from "./canvas.ts";
import { axisValues, niceMost } from "./series.ts";

/** What to draw: the options without a size, and the columns. */
export type PlotInput = readonly [
  options: Omit<uPlot.Options, "width" | "height">,
  uPlot.AlignedData,
];

/**
 * Draws a plot as wide as its element, and redraws it when the page's colors change.
 * @param draw returns what to draw; a different function causes a redraw, so keep it with `useCallback`
 * @returns the ref of the element
 */
export function usePlot(
  height: number,
  draw: (host: HTMLElement) => PlotInput,
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const colors = useSyncExternalStore(onThemeChange, currentTheme);
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

/** The width of the axis of values, and of a letter on an axis, in CSS pixels. */
const VALUES_PX = 44;
const LETTER_PX = 6;

/** Formats a moment on an axis: the day if the axis is long, otherwise the time of day. */
function axisTime(time: number, span: number, now: number): string {
  const day = dayText(time, now);
  if (span > 4 * DAY_MS) return day;
  return span > DAY_MS ? `${day}, ${hourText(time)}` : hourText(time);
}

/**
 * The options that all plots over time share: a time axis below, and an axis on the side with zero, half and all of
 * the largest value.
 * @param isWhole whether values are whole numbers
 */
export function timePlotOptions(
  host: HTMLElement,
  [first, last]: readonly [first: number, last: number],
  valueText: (value: number) => string,
  isWhole: boolean,
): Pick<uPlot.Options, "ms" | "padding" | "legend" | "scales" | "axes"> {
  const now = Date.now();
  const axis = {
    stroke: colorOf(host, "--color-soft"),
    font: "11px Geist Variable, sans-serif",
    ticks: { show: false },
    grid: { show: false },
  };
  const line = colorOf(host, "--color-line");
  return {
    ms: 1,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true, range: () => [first, last] },
      y: { range: (_plot, _min, max) => [0, niceMost(max)] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        gap: 2,
        space: last - first > DAY_MS && last - first <= 4 * DAY_MS ? 100 : 50,
        values: ({ width }, splits) =>
          splits.map((time) => {
            const text = axisTime(time, last - first, now);
            const at = ((time - first) / (last - first)) * (width - VALUES_PX);
            const half = (text.length * LETTER_PX) / 2;
            // At an end of the axis, the label would be cut off, or overlap the values.
            return at < half || at > width - VALUES_PX - half ? "" : text;
          }),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: VALUES_PX,
        gap: 4,
        splits: (_plot, _axis, _min, max) => [...axisValues(max, isWhole)],
        values: (_plot, splits) => splits.map((value) => (value === 0 ? "0" : valueText(value))),
      },
    ],
  };
}
