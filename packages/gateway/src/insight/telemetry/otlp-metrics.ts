import { createRequire } from "node:module";
import type { api, metrics } from "@opentelemetry/sdk-node";
import { METRICS, type MetricSink } from "./metrics.ts";
import { type Cell, Tally } from "./tally.ts";
import { type Environment, variable } from "./variables.ts";

type Scope = { readonly name: string; readonly version: string };

/** Series of one metric, that of all further ones among them (Metrics SDK, Cardinality limits). */
const MAX_SERIES = 2_000;
const OVERFLOW = { "otel.metric.overflow": true };

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

/** Exporters of OTLP, all of them packages that the SDK brings. */
const EXPORTERS: ReadonlyMap<string, string> = new Map([
  ["grpc", "@opentelemetry/exporter-metrics-otlp-grpc"],
  ["http/json", "@opentelemetry/exporter-metrics-otlp-http"],
  ["http/protobuf", "@opentelemetry/exporter-metrics-otlp-proto"],
]);

function exporterOf(env: Environment): string | undefined {
  const protocol =
    variable(env, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL") ??
    variable(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  return EXPORTERS.get(protocol ?? "http/protobuf");
}

/**
 * Whether metrics are counted here, as they are where totals are sent by OTLP; else by the SDK's
 * instruments, which make a key of all labels for each value.
 */
export function isCountedHere(env: Environment): boolean {
  const exporter = variable(env, "OTEL_METRICS_EXPORTER");
  const temporality = variable(env, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE");
  const aggregation = variable(env, "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION");
  return (
    (exporter === undefined || exporter === "otlp") &&
    (temporality === undefined || temporality.toLowerCase() === "cumulative") &&
    aggregation === undefined &&
    variable(env, "OTEL_NODE_EXPERIMENTAL_SDK_METRICS") === undefined &&
    exporterOf(env) !== undefined
  );
}

const hrTime = (milliseconds: number): api.HrTime => [
  Math.floor(milliseconds / 1000),
  Math.floor((milliseconds % 1000) * 1e6),
];

/** Counts, and gives what was counted to a reader of the SDK's. */
export class TallyProducer implements MetricSink {
  readonly #tallies: ReadonlyMap<unknown, Tally> = new Map(
    Object.values(METRICS).map((metric) => [metric, new Tally(metric, MAX_SERIES - 1)]),
  );
  readonly #sdk: typeof metrics;
  readonly #scope: Scope;

  constructor(sdk: typeof metrics, scope: Scope) {
    this.#sdk = sdk;
    this.#scope = scope;
  }

  note(...[metric, noted, labels]: Parameters<MetricSink["note"]>): void {
    this.#tallies.get(metric)?.note(noted, labels);
  }

  /** All series since they began; the reader puts its own resource in the place of the one given. */
  collect(resource: metrics.ResourceMetrics["resource"]): metrics.CollectionResult {
    const now = hrTime(Date.now());
    const found = [...this.#tallies.values()].filter(({ cells }) => cells.length > 0);
    const told = found.map((tally) => this.#data(tally, now));
    return {
      resourceMetrics: { resource, scopeMetrics: [{ scope: this.#scope, metrics: told }] },
      errors: [],
    };
  }

  #data({ metric, cells }: Tally, now: api.HrTime): metrics.MetricData {
    const { AggregationTemporality, DataPointType } = this.#sdk;
    const { name, description, unit, kind, buckets = [] } = metric;
    const common = {
      descriptor: { name, description, unit, valueType: DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const points = <T>(of: (cell: Cell) => T): metrics.DataPoint<T>[] =>
      cells.map((cell) => ({
        startTime: hrTime(cell.since),
        endTime: now,
        attributes: cell.labels ?? OVERFLOW,
        value: of(cell),
      }));
    if (kind === "histogram") {
      const dataPoints = points(({ value: sum, count, buckets: counts, min, max }) => ({
        buckets: { boundaries: [...buckets], counts: [...counts] },
        sum,
        count,
        min,
        max,
      }));
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const dataPoints = points((cell) => cell.value);
    return kind === "gauge"
      ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
      : { ...common, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  }
}

/** `ValueType.DOUBLE` of OpenTelemetry's API. */
const DOUBLE = 1;

/**
 * A reader that sends what a producer has counted, as the standard variables say.
 * @throws Error where the SDK that is installed has not the exporter
 */
export function metricReader(
  env: Environment,
  sdk: typeof metrics,
  producer: metrics.MetricProducer,
): metrics.IMetricReader {
  const found = createRequire(createRequire(import.meta.url).resolve("@opentelemetry/sdk-node"));
  const { OTLPMetricExporter } = found(exporterOf(env) ?? "") as {
    OTLPMetricExporter: new () => metrics.PushMetricExporter;
  };
  const set = (name: string, otherwise: number): number => {
    const number = Number(variable(env, name) ?? Number.NaN);
    return number > 0 ? number : otherwise;
  };
  const exportIntervalMillis = set("OTEL_METRIC_EXPORT_INTERVAL", INTERVAL_MS);
  const timeout = set("OTEL_METRIC_EXPORT_TIMEOUT", TIMEOUT_MS);
  return new sdk.PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
    metricProducers: [producer],
  });
}
