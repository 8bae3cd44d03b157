import { type ReactElement, useCallback } from "react";
import uPlot from "uplot";
import { colorOf } from "../chart/canvas.ts";
import { type PlotInput, usePlot } from "../chart/plot.ts";
import "uplot/dist/uPlot.min.css";

interface Props {
  readonly labels: readonly string[];
  readonly values: readonly number[];
  /** Lines drawn in front of the bars, in the colors of {@link COLORS}. */
  readonly lines: readonly (readonly number[])[];
  /** Describes the bars for people who cannot see them. */
  readonly description: string;
}

const HEIGHT = 220;
/** Minimum width of a label, in CSS pixels. */
const LABEL_WIDTH = 56;

/** Custom properties with the line colors, in order. */
const COLORS: readonly string[] = [
  "--color-bad",
  "--color-good",
  "--color-code-atom",
  "--color-warn",
];

function optionsOf(host: HTMLElement, labels: readonly string[], lines: number): PlotInput[0] {
  const [text, line, bar] = [
    "--color-soft",
    "--color-line",
    lines > 0 ? "--color-edge" : "--color-accent",
  ].map((name) => colorOf(host, name));
  const axis = {
    stroke: text ?? "",
    grid: { stroke: line ?? "", width: 1 },
    font: "12px system-ui",
  };
  return {
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, labels.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        splits: (plot) => {
          const room = Math.max(1, Math.floor(plot.width / LABEL_WIDTH));
          const step = Math.ceil(labels.length / room);
          return labels.map((_, index) => index).filter((index) => index % step === 0);
        },
        values: (_plot, splits) => splits.map((index) => labels[index] ?? ""),
      },
      {
        ...axis,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000],
      },
    ],
    series: [
      {},
      {
        fill: bar ?? "",
        stroke: bar ?? "",
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.7, 64] }) ?? (() => null),
      },
      ...COLORS.slice(0, lines).map((color) => {
        const stroke = colorOf(host, color);
        return { stroke, width: 2, points: { show: true, size: 7, fill: stroke } };
      }),
    ],
  };
}

/** Shows one bar for each label. The page also shows the figures as text: see {@link Props.description}. */
export default function Plot({ labels, values, lines, description }: Props): ReactElement {
  const draw = useCallback(
    (host: HTMLElement): PlotInput => [
      optionsOf(host, labels, lines.length),
      [labels.map((_, index) => index), [...values], ...lines.map((line) => [...line])],
    ],
    [labels, values, lines],
  );
  const host = usePlot(HEIGHT, draw);
  return <div ref={host} className="plot" role="img" aria-label={description} />;
}
