import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { dayText, hourText } from "../text/moment.ts";
import { cx } from "../ui/classes.ts";
import { colorOf } from "./canvas.ts";
import { KeyBrush } from "./key-brush.tsx";
import { type PlotInput, timePlotOptions, usePlot } from "./plot.ts";
import { type ChartSeries, stackedHeights } from "./series.ts";
import { ValuesTable } from "./values-table.tsx";
import "uplot/dist/uPlot.min.css";

interface Props {
  /** The title of the chart: `Calls over time`. */
  readonly label: string;
  /** What a selection with keys is called: `Time range of calls`. */
  readonly keysLabel: string;
  /** `bars` are stacked in the order of the series. */
  readonly look: "bars" | "lines";
  /** When the steps begin, in milliseconds since 1970. The first step may be shorter than the others. */
  readonly times: readonly number[];
  /** The length of a step in milliseconds. */
  readonly step: number;
  readonly series: readonly ChartSeries[];
  /** Whether values are whole numbers. */
  readonly isWhole?: boolean;
  /** Formats a value of a series. */
  readonly text: (value: number) => string;
  /** Returns the value of a series in some steps as text, such as `3 errors`; undefined if it need not be shown. */
  readonly partOf: (series: ChartSeries, first: number, last: number) => string | undefined;
  /** Called when a range was selected, in milliseconds since 1970. */
  readonly onZoom: (since: number, until: number) => void;
}

const HEIGHT = 112;
/** The selection of a plot in which nothing is selected. */
const NOTHING = { left: 0, top: 0, width: 0, height: 0 };

/** `Nov 28, 08:30 to 08:45`. */
function stretchText(since: number, until: number): string {
  const now = Date.now();
  const [from, to] = [dayText(since, now), dayText(until, now)];
  return `${from}, ${hourText(since)} to ${from === to ? "" : `${to}, `}${hourText(until)}`;
}

/** Lists the series with their totals; each button hides a series, or shows it again. */
function Legend({
  parts,
  hidden,
  onToggle,
}: {
  readonly parts: readonly (readonly [series: ChartSeries, text: string])[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}): ReactElement {
  return (
    <ul aria-label="Legend" className="flex gap-1">
      {parts.map(([{ name, color }, text]) => (
        <li key={name}>
          <button
            type="button"
            aria-pressed={!hidden.has(name)}
            title={hidden.has(name) ? `Show ${name}` : `Hide ${name}`}
            className={cx(
              "flex h-6 items-center gap-1.5 rounded px-1.5 text-xs whitespace-nowrap hover:bg-hover",
              hidden.has(name) ? "text-faint line-through" : "text-soft",
            )}
            onClick={() => onToggle(name)}
          >
            <span
              aria-hidden="true"
              className={cx("size-2 rounded-xs", hidden.has(name) && "opacity-30")}
              style={{ background: `var(${color})` }}
            />
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/**
 * Charts values over time. The legend shows totals and hides series; the values of a step are shown below the pointer
 * and for the arrow keys, and all values in a table. A range is selected by dragging, or with keys.
 */
export default function TimeChart(props: Props): ReactElement {
  const { label, keysLabel, look, times, step, series, text, partOf, onZoom } = props;
  const { isWhole = false } = props;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [hovered, setHovered] = useState<number>();
  const [hasTable, setHasTable] = useState(false);
  const plot = useRef<uPlot>(undefined);
  const zoom = useRef(onZoom);
  useEffect(() => {
    zoom.current = onZoom;
  });
  const shown = useMemo(() => series.filter(({ name }) => !hidden.has(name)), [series, hidden]);
  const isBars = look === "bars";
  const draw = useCallback(
    (host: HTMLElement): PlotInput => {
      // If the first step is shorter, it is drawn as wide as the others.
      const start = Math.min(times[0] ?? 0, (times[1] ?? Number.POSITIVE_INFINITY) - step);
      const end = (times.at(-1) ?? 0) + step;
      const begins = [start, ...times.slice(1)];
      const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) ?? (() => null);
      const columns = isBars ? stackedHeights(shown) : shown.map(({ values }) => values);
      const drawn = shown.map(({ color }, index) => {
        const stroke = colorOf(host, color);
        const own = isBars
          ? { fill: stroke, width: 0, points: { show: false }, paths: bars }
          : { width: 1.5, points: { show: true, size: 4, fill: stroke } };
        return { series: { stroke, ...own }, values: [...(columns[index] ?? [])] };
      });
      // Bars are drawn last to first, so that each covers what is stacked on it.
      if (isBars) drawn.reverse();
      const xs = isBars ? begins : begins.map((time) => time + step / 2);
      const options = {
        ...timePlotOptions(host, [start, end], text, isWhole),
        cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false } },
        series: [{}, ...drawn.map((each) => each.series)],
        hooks: {
          ready: [
            (made: uPlot) => {
              plot.current = made;
            },
          ],
          setCursor: [
            ({ cursor, posToVal }: uPlot) => {
              const { left = -1 } = cursor;
              const time = posToVal(left, "x");
              const at = begins.findLastIndex((begin) => begin <= time);
              setHovered(left < 0 ? undefined : Math.max(0, at));
            },
          ],
          setSelect: [
            (made: uPlot) => {
              const { left, width } = made.select;
              if (width < 4) return;
              made.setSelect(NOTHING, false);
              zoom.current(made.posToVal(left, "x"), made.posToVal(left + width, "x"));
            },
          ],
        },
      };
      return [options, [[...xs], ...drawn.map(({ values }) => values)]];
    },
    [times, step, shown, isBars, isWhole, text],
  );
  const host = usePlot(HEIGHT, draw);
  const end = times.length - 1;
  const timesOf = (first: number, last: number): readonly [since: number, until: number] => [
    times[first] ?? 0,
    times[last + 1] ?? (times[last] ?? 0) + step,
  ];
  const textOf = (first: number, last: number): string => {
    const parts = shown.flatMap((each) => partOf(each, first, last) ?? []);
    return `${stretchText(...timesOf(first, last))}: ${parts.join(", ") || "no calls"}`;
  };
  const mark = (first?: number, last?: number): void => {
    if (first === undefined || last === undefined) {
      plot.current?.setSelect(NOTHING, false);
      return;
    }
    const [left = 0, right = 0] = timesOf(first, last).map(
      (time) => plot.current?.valToPos(time, "x") ?? 0,
    );
    const height = plot.current?.over.clientHeight ?? 0;
    plot.current?.setSelect({ left, width: right - left, top: 0, height }, false);
  };
  const totals = series.flatMap((each): readonly (readonly [ChartSeries, string])[] => {
    const part = partOf(each, 0, end);
    return part === undefined ? [] : [[each, part]];
  });
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const said = totals.map(([, part]) => part).join(", ") || "no calls";
  return (
    <div className="min-w-0">
      <div className="flex h-7 items-center gap-2">
        <div className="min-w-0 flex-1 overflow-x-auto overflow-y-hidden scroll-thin">
          <Legend parts={totals} hidden={hidden} onToggle={toggle} />
        </div>
        <button
          type="button"
          aria-expanded={hasTable}
          aria-label={`Values: ${label}`}
          className="h-6 shrink-0 rounded px-1.5 text-xs text-soft underline underline-offset-2 hover:bg-hover"
          onClick={() => setHasTable(!hasTable)}
        >
          Values
        </button>
      </div>
      <div className="group relative h-28 cursor-crosshair">
        <div ref={host} className="h-full" role="img" aria-label={`${label}: ${said}`} />
        <KeyBrush
          label={keysLabel}
          size={times.length}
          textOf={textOf}
          onShow={mark}
          onZoom={(first, last) => onZoom(...timesOf(first, last))}
        />
        {hovered !== undefined && (
          <p
            aria-hidden="true"
            className={cx(
              "pointer-events-none absolute top-0 z-10 max-w-full rounded bg-raised px-1.5 text-xs text-soft shadow-pop group-has-focus-visible:hidden",
              hovered > end / 2 ? "start-0" : "end-0",
            )}
          >
            {textOf(hovered, hovered)}
          </p>
        )}
      </div>
      {hasTable && (
        <ValuesTable {...{ label, times, text }} series={totals.map(([each]) => each)} />
      )}
    </div>
  );
}
