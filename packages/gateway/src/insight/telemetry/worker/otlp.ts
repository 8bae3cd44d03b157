import type * as api from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type * as metrics from "@opentelemetry/sdk-metrics";
import type * as traces from "@opentelemetry/sdk-trace-base";
import type { Environment } from "../../../config/variables.ts";
import {
  environmentVariable,
  type OtlpSignals,
  positiveVariable,
  unreadableKeyFiles,
} from "../environment.ts";
import { METRICS, type Metric, type MetricSink } from "../metrics.ts";
import type { ServerAddresses } from "../telemetry.ts";
import { INSTRUMENTATION_SCOPE, openExporters } from "./exporters.ts";
import type { RecordExporter } from "./record-exporter.ts";
import type { TracedOperation } from "./sides.ts";
import { makeSpans } from "./spans.ts";

/** Sends signals to a collector. */
export interface Otlp {
  /** Sends the spans of an operation; absent if traces are not sent. */
  readonly spans?: (operation: TracedOperation, place: ServerAddresses, epoch: number) => void;
  readonly metrics?: MetricSink;
  /** Sends activity records; absent if they are not sent. */
  readonly records?: RecordExporter;
  /** Sends the remaining spans and metrics. Rejects if that fails. */
  close(): Promise<void>;
}

/** Receives the SDK's diagnostics. */
export type Diagnostics = (level: "debug" | "warn", message: string) => void;

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

/**
 * Starts OpenTelemetry's SDKs of the signals as the standard environment variables say.
 * @param bodies whether activity records are sent with arguments, results and other texts of calls
 * @throws Error if a package that they need is not installed
 */
export async function startOtlp(
  signals: OtlpSignals,
  version: string,
  diagnostics: Diagnostics,
  bodies = false,
): Promise<Otlp> {
  const { env } = process;
  const apis = await import("@opentelemetry/api");
  const warn = (message: string, ...rest: readonly unknown[]): void =>
    diagnostics("warn", diagnosticText(message, ...rest));
  const debug = (message: string): void => diagnostics("debug", message);
  apis.diag.setLogger(
    { error: warn, warn, info: debug, debug, verbose: () => {} },
    { logLevel: apis.DiagLogLevel.INFO, suppressOverrideMessage: true },
  );
  for (const fault of unreadableKeyFiles(env)) warn(fault);
  const resource = await describeResource(version);
  const isObserved =
    environmentVariable(env, "OTEL_NODE_EXPERIMENTAL_SDK_METRICS")?.toLowerCase() === "true";
  const meters = signals.metrics ? await startMeters(env, resource, isObserved, warn) : undefined;
  const tracers = signals.traces
    ? await startTracers(env, resource, isObserved ? meters : undefined, warn)
    : undefined;
  const records = signals.logs
    ? await (await import("./record-exporter.ts")).openRecordExporter({
        env,
        resource,
        version,
        bodies,
        warn,
      })
    : undefined;
  const tracer = tracers?.getTracer(INSTRUMENTATION_SCOPE, version);
  return {
    ...(tracer === undefined
      ? {}
      : { spans: (operation, place, epoch) => makeSpans(apis, tracer, operation, place, epoch) }),
    ...(meters === undefined
      ? {}
      : { metrics: metricSink(meters.getMeter(INSTRUMENTATION_SCOPE, version)) }),
    ...(records === undefined ? {} : { records }),
    async close() {
      await Promise.all([tracers?.shutdown(), meters?.shutdown()]);
    },
  };
}

/**
 * Returns the source of spans, metrics and records: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take
 * precedence. The process detector is left out, because it reports the command line, which may contain secrets.
 */
async function describeResource(version: string): Promise<Resource> {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const own = { "service.name": "touchstone", "service.version": version };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

async function startMeters(
  env: Environment,
  resource: Resource,
  sdkMetricsEnabled: boolean,
  warn: (message: string) => void,
): Promise<metrics.MeterProvider> {
  const { MeterProvider, MetricReader, PeriodicExportingMetricReader } = await import(
    "@opentelemetry/sdk-metrics"
  );
  const exportIntervalMillis = positiveVariable(env, "OTEL_METRIC_EXPORT_INTERVAL") ?? INTERVAL_MS;
  const timeout = positiveVariable(env, "OTEL_METRIC_EXPORT_TIMEOUT") ?? TIMEOUT_MS;
  const exportTimeoutMillis = Math.min(timeout, exportIntervalMillis);
  const exporters = openExporters<metrics.PushMetricExporter | metrics.MetricReader>(
    env,
    "metrics",
    warn,
  );
  const readers = exporters.map((exporter) =>
    exporter instanceof MetricReader
      ? exporter
      : new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis }),
  );
  return new MeterProvider({ resource, readers, sdkMetricsEnabled });
}

/**
 * Makes the tracer. The SDK reads the sampler, the limits and the sizes of queue and batches from `OTEL_*` variables.
 */
async function startTracers(
  env: Environment,
  resource: Resource,
  meterProvider: metrics.MeterProvider | undefined,
  warn: (message: string) => void,
): Promise<traces.BasicTracerProvider> {
  const { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor } =
    await import("@opentelemetry/sdk-trace-base");
  const spanProcessors = openExporters<traces.SpanExporter>(env, "traces", warn).map((exporter) =>
    exporter instanceof ConsoleSpanExporter
      ? new SimpleSpanProcessor(exporter)
      : new BatchSpanProcessor(exporter),
  );
  return new BasicTracerProvider({
    resource,
    spanProcessors,
    ...(meterProvider === undefined ? {} : { meterProvider }),
  });
}

type Note = (value: number, labels: api.Attributes) => void;

function instrument(meter: api.Meter, metric: Metric): Note {
  const { name, unit, description, kind, buckets } = metric;
  if (kind === "counter") {
    const counter = meter.createCounter(name, { unit, description });
    return (value, labels) => counter.add(value, labels);
  }
  if (kind === "gauge") {
    const gauge = meter.createGauge(name, { unit, description });
    return (value, labels) => gauge.record(value, labels);
  }
  const advice = buckets === undefined ? {} : { explicitBucketBoundaries: [...buckets] };
  const histogram = meter.createHistogram(name, { unit, description, advice });
  return (value, labels) => histogram.record(value, labels);
}

function metricSink(meter: api.Meter): MetricSink {
  const notes = new Map(
    Object.values(METRICS).map((metric) => [metric, instrument(meter, metric)]),
  );
  return { note: (metric, value, labels) => notes.get(metric)?.(value, labels) };
}

/**
 * Returns a diagnostic of OpenTelemetry's SDK as one sentence. The SDK writes all members of an error as JSON, with
 * the stack, which contains paths of this machine and differs each time for the same fault.
 * @param message a sentence, or the name of the reporting component, in which case the message is in `rest`
 * @param rest texts and errors are kept, other values are dropped
 */
export function diagnosticText(message: string, ...rest: readonly unknown[]): string {
  const words = rest.map((word) => (word instanceof Error ? word.message : word));
  return [message, ...words]
    .filter((word): word is string => typeof word === "string" && word !== "")
    .map(sentence)
    .join(": ");
}

function sentence(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const told: unknown = JSON.parse(text);
    const isError = typeof told === "object" && told !== null && "message" in told;
    return isError && typeof told.message === "string" ? told.message : text;
  } catch {
    return text;
  }
}
