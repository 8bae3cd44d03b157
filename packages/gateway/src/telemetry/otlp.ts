import type { api, NodeSDK } from "@opentelemetry/sdk-node";
import { METRICS, type Metric, type MetricSink } from "./metrics.ts";
import type { OtlpSignals } from "./otlp-signals.ts";
import type { SpanParts } from "./spans.ts";

/** What is sent to a collector: spans, metrics, or both. */
export interface Otlp {
  readonly spans?: SpanParts;
  readonly metrics?: MetricSink;
  /** Sends what is left. Rejects where that cannot be sent. */
  close(): Promise<void>;
}

/** Takes what the SDK has to say. */
export type Diagnostics = (level: "debug" | "warn", message: string) => void;

const SCOPE = "@touchstone/gateway";

/**
 * Starts OpenTelemetry's SDK as the standard environment variables say. It becomes the process's
 * global one, or the thread's.
 * @throws Error where `@opentelemetry/sdk-node` is not installed
 */
export async function startOtlp(
  signals: OtlpSignals,
  version: string,
  diagnostics: Diagnostics,
): Promise<Otlp> {
  const { NodeSDK, api, core, resources } = await import("@opentelemetry/sdk-node");
  const own = resources.resourceFromAttributes({
    "service.name": "touchstone",
    "service.version": version,
  });
  const sdk: NodeSDK = new NodeSDK({
    resource: resources.defaultResource().merge(own),
    // The one that tells of the process would tell its arguments, and with them headers with secrets.
    resourceDetectors: [resources.envDetector],
    logRecordProcessors: [],
    textMapPropagator: null,
    ...(signals.traces ? {} : { spanProcessors: [] }),
    ...(signals.metrics ? {} : { metricReaders: [] }),
  });
  const warn = (message: string): void => diagnostics("warn", message);
  const debug = (message: string): void => diagnostics("debug", message);
  api.diag.setLogger(
    { error: warn, warn, info: debug, debug, verbose: () => {} },
    { logLevel: api.DiagLogLevel.INFO, suppressOverrideMessage: true },
  );
  sdk.start();
  return {
    ...(signals.traces
      ? {
          spans: {
            tracer: api.trace.getTracer(SCOPE, version),
            propagator: new core.W3CTraceContextPropagator(),
            root: api.ROOT_CONTEXT,
            within: (context, span) => api.trace.setSpan(context, span),
          },
        }
      : {}),
    ...(signals.metrics ? { metrics: metricSink(api.metrics.getMeter(SCOPE, version)) } : {}),
    close: () => sdk.shutdown(),
  };
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
    Object.values(METRICS).map((metric): [string, Note] => [
      metric.name,
      instrument(meter, metric),
    ]),
  );
  return { note: (metric, value, labels) => notes.get(metric.name)?.(value, labels) };
}
