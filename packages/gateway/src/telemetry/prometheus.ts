import { Counter, Gauge, Histogram, Registry } from "prom-client";
import {
  type Labels,
  METRICS,
  type Metric,
  type MetricSink,
  prometheusLabel,
  prometheusName,
} from "./metrics.ts";

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

type OwnLabels = Record<string, string | number>;
type Note = (value: number, labels: OwnLabels) => void;

function register(registry: Registry, metric: Metric): Note {
  const options = {
    name: prometheusName(metric),
    help: metric.description,
    labelNames: [...metric.labels.map(prometheusLabel), OVERFLOW],
    registers: [registry],
  };
  if (metric.kind === "counter") {
    const counter = new Counter(options);
    return (value, labels) => counter.inc(labels, value);
  }
  if (metric.kind === "gauge") {
    const gauge = new Gauge(options);
    return (value, labels) => gauge.set(labels, value);
  }
  const histogram = new Histogram({ ...options, buckets: [...(metric.buckets ?? [])] });
  return (value, labels) => histogram.observe(labels, value);
}

/** Counts in one metric, in no more than {@link MAX_SERIES} series and one for the rest. */
function bounded(note: Note): (value: number, labels: Labels) => void {
  const series = new Map<string, OwnLabels>();
  return (value, labels) => {
    const key = JSON.stringify(labels);
    let own = series.get(key);
    if (own === undefined && series.size < MAX_SERIES) {
      own = {};
      for (const [name, label] of Object.entries(labels)) own[prometheusLabel(name)] = label;
      series.set(key, own);
    }
    note(value, own ?? { [OVERFLOW]: "true" });
  };
}

/** Begins to count, every metric from zero on. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const notes = new Map(
    Object.values(METRICS).map((metric) => [metric.name, bounded(register(registry, metric))]),
  );
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    note: (metric, value, labels) => notes.get(metric.name)?.(value, labels),
  };
}
