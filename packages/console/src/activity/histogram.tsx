import {
  type KeyboardEvent,
  type ReactElement,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import uPlot from "uplot";
import { localTime } from "../page/local-time.ts";
import { colorOf } from "../ui/canvas.ts";
import { type Drawn, overTime, usePlot } from "../ui/plot.ts";
import type { Bucket, Counted } from "./call.ts";
import "uplot/dist/uPlot.min.css";

/** What each bar counts, from bottom to top, with its color. */
const PARTS = [
  ["success", "--color-chart-plain"],
  ["repaired", "--color-chart-info"],
  ["warning", "--color-chart-warn"],
  ["error", "--color-chart-error"],
  ["refused", "--color-chart-bad"],
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
/** The selection of a plot in which nothing is selected. */
const NOTHING = { left: 0, top: 0, width: 0, height: 0 };

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

const HOLDER = "group relative h-21 cursor-crosshair";

/** Steps of the chart that were chosen with keys: from where on, and up to where it was extended. */
interface Chosen {
  readonly from: number;
  readonly to: number;
}

/** Moves within the steps. With Shift, what was chosen is extended. */
function moved(
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  chosen: Chosen | undefined,
  last: number,
): Chosen | undefined {
  const at = chosen?.to ?? last + 1;
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const step = Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : undefined;
  if (step === undefined) return undefined;
  const to = Math.max(0, Math.min(last, step));
  return { from: shiftKey && chosen !== undefined ? chosen.from : to, to };
}

/** Chooses a time range of the chart above which it is laid, with keys instead of a mouse. */
function KeyBrush({
  buckets,
  step,
  onShow,
  onBrush,
}: Props & {
  /** Called with what is to be marked. */
  readonly onShow: (since: number, until: number) => void;
}): ReactElement {
  const [chosen, setChosen] = useState<Chosen>();
  const help = useId();
  const last = buckets.length - 1;
  const [first, end] = [chosen?.from ?? last, chosen?.to ?? last].toSorted((a, b) => a - b);
  const part = buckets.slice(first, (end ?? last) + 1);
  const since = part[0]?.time ?? 0;
  const until = (part.at(-1)?.time ?? 0) + step;
  const counts = PARTS.map(([name]) => [name, sumOf(part, name)] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${countText(count)} ${name}`);
  const [from, to] = [since, until].map((time) => localTime(new Date(time).toISOString()));
  const said = `${from} to ${to}: ${counts.join(", ") || "no calls"}`;
  const choose = (next: Chosen | undefined): void => {
    setChosen(next);
    const [low = 0, high = 0] = next ? [next.from, next.to].toSorted((a, b) => a - b) : [];
    const start = buckets[low]?.time ?? 0;
    onShow(start, next ? (buckets[high]?.time ?? 0) + step : start);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event, chosen, last);
    const isEnd = event.key === "Enter" || event.key === "Escape";
    if (next === undefined && !(isEnd && chosen !== undefined)) return;
    event.preventDefault();
    choose(next);
    if (event.key === "Enter") onBrush(since, until);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Time range of calls"
      aria-describedby={help}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen?.to ?? last}
      aria-valuetext={chosen === undefined ? "all" : said}
      className="pointer-events-none absolute inset-0 rounded"
      onKeyDown={onKeyDown}
      onBlur={() => choose(undefined)}
    >
      <span
        id={help}
        className="absolute start-0 top-0 hidden max-w-full rounded bg-raised px-1.5 text-xs text-soft shadow-pop group-has-focus-visible:block"
      >
        {chosen === undefined
          ? "Arrow keys select a time, Shift extends it, Enter shows only that time."
          : said}
      </span>
    </div>
  );
}

function sumOf(buckets: readonly Bucket[], name: Counted): number {
  return buckets.reduce((all, bucket) => all + bucket[name], 0);
}

/** Charts the number of calls over time, by result. A time range is selected by dragging, or with the arrow keys. */
export default function Histogram({ buckets, step, onBrush }: Props): ReactElement {
  const brush = useRef(onBrush);
  useEffect(() => {
    brush.current = onBrush;
  });
  const drawn = useRef<uPlot>(undefined);
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
          ready: [
            (plot: uPlot) => {
              drawn.current = plot;
            },
          ],
          setSelect: [
            (plot: uPlot) => {
              const { left, width } = plot.select;
              if (width < 4) return;
              plot.setSelect(NOTHING, false);
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
  const mark = (since: number, until: number): void => {
    const plot = drawn.current;
    const [left = 0, right = 0] = [since, until].map((time) => plot?.valToPos(time, "x") ?? 0);
    const height = plot?.over.clientHeight ?? 0;
    const part = { left, width: right - left, top: 0, height };
    plot?.setSelect(since === until ? NOTHING : part, false);
  };
  const said = PARTS.map(([name]) => `${sumOf(buckets, name)} ${name}`).join(", ");
  return (
    <div className={HOLDER}>
      <div ref={host} className="h-full" role="img" aria-label={`Calls over time: ${said}`} />
      <KeyBrush {...{ buckets, step, onBrush }} onShow={mark} />
    </div>
  );
}
