import { Counter, Gauge, Histogram, Registry } from "prom-client";
import {
  type Labels,
  METRICS,
  type Metric,
  type MetricSink,
  prometheusLabel,
  prometheusName,
} from "../metrics.ts";

/**
 * For how many label sets of one metric to keep separate series; the same as OpenTelemetry's own limit (Metrics SDK,
 * Cardinality limits).
 */
export const MAX_SERIES = 2_000;
/** Marks the series that counts all series beyond the limit, as in OpenTelemetry. */
const OVERFLOW = "otel_metric_overflow";

/** Metrics in memory, in Prometheus's format. */
export interface PrometheusMetrics extends MetricSink {
  /** The media type of {@link text}. */
  readonly contentType: string;
  /** All series, in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>;
}

type Note = (value: number, labels: Labels) => void;

/** Starts counting, with every metric at zero. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const notes = new Map(
    Object.values(METRICS).map((metric) => [metric, bounded(metric, counting(metric, registry))]),
  );
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    note: (metric, value, labels) => notes.get(metric)?.(value, labels),
  };
}

function counting(metric: Metric, registry: Registry): Note {
  const { kind, buckets = [], labels, description } = metric;
  const common = {
    name: prometheusName(metric),
    help: description,
    labelNames: [...labels.map(prometheusLabel), OVERFLOW],
    registers: [registry],
  };
  if (kind === "counter") {
    const counter = new Counter(common);
    return (value, of) => counter.inc(of, value);
  }
  if (kind === "gauge") {
    const gauge = new Gauge(common);
    return (value, of) => gauge.set(of, value);
  }
  const histogram = new Histogram({ ...common, buckets: [...buckets] });
  return (value, of) => histogram.observe(of, value);
}

/** Counts all series beyond {@link MAX_SERIES} as one. */
function bounded({ labels: names }: Metric, note: Note): Note {
  const series = new Set<string>();
  const overflow = { [OVERFLOW]: "true" };
  /** Caches Prometheus labels by labels object, because the same objects occur again. */
  const known = new WeakMap<Labels, Labels>();
  const find = (labels: Labels): Labels => {
    const key = JSON.stringify(names.map((name) => labels[name]));
    if (!series.has(key) && series.size >= MAX_SERIES) return overflow;
    series.add(key);
    const told = Object.entries(labels).map(([name, label]) => [prometheusLabel(name), label]);
    return Object.fromEntries(told) as Labels;
  };
  return (value, labels) => {
    let own = known.get(labels);
    if (own === undefined) {
      own = find(labels);
      known.set(labels, own);
    }
    note(value, own);
  };
}
