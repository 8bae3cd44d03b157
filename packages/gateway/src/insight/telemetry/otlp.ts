import type { api, core, NodeSDK } from "@opentelemetry/sdk-node";
import { diagnosticText } from "./diagnostic.ts";
import { directSpans, isDirect, type SpanSink } from "./direct-spans.ts";
import { unreadableKeyFiles } from "./key-files.ts";
import { METRICS, type Metric, type MetricSink } from "./metrics.ts";
import { isCountedHere, metricReader, TallyProducer } from "./otlp-metrics.ts";
import type { OtlpSignals } from "./otlp-signals.ts";
import { makeSpans } from "./spans.ts";

/** What is sent to a collector: spans, metrics, or both. */
export interface Otlp {
  readonly spans?: Pick<SpanSink, "add">;
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
  const { env } = process;
  const { NodeSDK, api, core, metrics, resources } = await import("@opentelemetry/sdk-node");
  const own = resources.resourceFromAttributes({
    "service.name": "touchstone",
    "service.version": version,
  });
  const resource = resources.defaultResource().merge(own);
  const warn = (message: string, ...rest: readonly unknown[]): void =>
    diagnostics("warn", diagnosticText(message, ...rest));
  const debug = (message: string): void => diagnostics("debug", message);
  // The one that tells of the process would tell its arguments, and with them headers with secrets.
  const resourceDetectors = [resources.envDetector];
  const listen = (): boolean =>
    api.diag.setLogger(
      { error: warn, warn, info: debug, debug, verbose: () => {} },
      { logLevel: api.DiagLogLevel.INFO, suppressOverrideMessage: true },
    );
  listen();
  for (const fault of unreadableKeyFiles(env)) warn(fault);
  const scope = { name: SCOPE, version };
  /** The short way where it can be gone; the SDK's own where it cannot. */
  const tried = <T>(possible: boolean, make: () => T): T | undefined => {
    if (!possible) return undefined;
    try {
      return make();
    } catch (error) {
      debug(`left to OpenTelemetry's SDK: ${String(error)}`);
      return undefined;
    }
  };
  const short = tried(signals.traces && isDirect(env), () => {
    const told = resource.merge(resources.detectResources({ detectors: resourceDetectors }));
    return directSpans({ env, sdk: { api, core }, resource: told, scope, warn });
  });
  const counted = tried(signals.metrics && isCountedHere(env), () => {
    const sink = new TallyProducer(metrics, scope);
    const collect = async () => sink.collect(resource);
    return { sink, reader: metricReader(env, metrics, { collect }) };
  });
  const sdk: NodeSDK = new NodeSDK({
    resource,
    resourceDetectors,
    logRecordProcessors: [],
    textMapPropagator: null,
    ...(signals.traces && short === undefined ? {} : { spanProcessors: [] }),
    ...(counted === undefined ? {} : { metricReaders: [counted.reader] }),
    ...(signals.metrics ? {} : { metricReaders: [] }),
  });
  // OTEL_LOG_LEVEL has made it another one.
  listen();
  sdk.start();
  const meter = (): MetricSink => metricSink(api.metrics.getMeter(SCOPE, version));
  const instruments = counted?.sink ?? (signals.metrics ? meter() : undefined);
  const spans = short ?? (signals.traces ? sdkSpans(api, core, version) : undefined);
  return {
    ...(spans === undefined ? {} : { spans }),
    ...(instruments === undefined ? {} : { metrics: instruments }),
    async close() {
      await Promise.all([sdk.shutdown(), short?.close()]);
    },
  };
}

/** Spans that the SDK makes, samples, limits and sends as its variables say. */
function sdkSpans(
  { ROOT_CONTEXT: root, trace }: typeof api,
  { W3CTraceContextPropagator }: typeof core,
  version: string,
): Pick<SpanSink, "add"> {
  const parts = {
    tracer: trace.getTracer(SCOPE, version),
    propagator: new W3CTraceContextPropagator(),
    root,
    within: (context: api.Context, span: api.Span) => trace.setSpan(context, span),
  };
  return { add: (operation, place, epoch) => makeSpans(parts, operation, place, epoch) };
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

/** Counts with instruments of the SDK's. */
export function metricSink(meter: api.Meter): MetricSink {
  const notes = new Map(
    Object.values(METRICS).map((metric): [string, Note] => [
      metric.name,
      instrument(meter, metric),
    ]),
  );
  return { note: (metric, value, labels) => notes.get(metric.name)?.(value, labels) };
}
