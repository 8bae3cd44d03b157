import {
  Gauge,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from "prom-client";
import {
  METRICS,
  type Metric,
  type MetricSink,
  prometheusLabel,
  prometheusName,
} from "./metrics.ts";
import { type Cell, Tally } from "./tally.ts";

/** Series of one metric that are told apart; OpenTelemetry's own limit (Metrics SDK, Cardinality limits). */
export const MAX_SERIES = 2_000;
/** What marks the one series that all further ones are counted in, as in OpenTelemetry. */
const OVERFLOW = "otel_metric_overflow";

/** Metrics in memory, and as Prometheus reads them. */
export interface PrometheusMetrics extends MetricSink {
  /** The media type of {@link text}. */
  readonly contentType: string;
  /** All series, in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>;
}

type Values = MetricValueWithName<string>[];

/** A metric whose series are made when they are read: to count in prom-client takes microseconds each. */
class Tallied extends Gauge {
  readonly #tally: Tally;

  constructor(registry: Registry, tally: Tally) {
    const { metric } = tally;
    super({
      name: prometheusName(metric),
      help: metric.description,
      labelNames: [...metric.labels.map(prometheusLabel), OVERFLOW],
      registers: [registry],
    });
    this.#tally = tally;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const { metric, cells } = this.#tally;
    const told = await super.get();
    const name = prometheusName(metric);
    const values = cells.flatMap((cell) => {
      const labels = ownLabels(cell);
      return metric.kind === "histogram"
        ? histogram(name, metric, cell, labels)
        : [{ metricName: name, labels, value: cell.value }];
    });
    return { ...told, type: metric.kind as unknown as typeof told.type, values };
  }
}

function ownLabels({ labels }: Cell): Record<string, string | number> {
  if (labels === undefined) return { [OVERFLOW]: "true" };
  return Object.fromEntries(
    Object.entries(labels).map(([name, label]) => [prometheusLabel(name), label]),
  );
}

/** Buckets as Prometheus has them: each with all below it, and one of all. */
function histogram(
  name: string,
  { buckets = [] }: Metric,
  cell: Cell,
  labels: Record<string, string | number>,
): Values {
  let below = 0;
  const bounds = buckets.map((le, i) => {
    below += cell.buckets[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [
    ...bounds,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: cell.count },
    { metricName: `${name}_sum`, labels, value: cell.value },
    { metricName: `${name}_count`, labels, value: cell.count },
  ];
}

/** Begins to count, every metric from zero on. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const tallies = new Map(
    Object.values(METRICS).map((metric) => [metric, new Tally(metric, MAX_SERIES)]),
  );
  for (const tally of tallies.values()) new Tallied(registry, tally);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    note: (metric, value, labels) => tallies.get(metric)?.note(value, labels),
  };
}
