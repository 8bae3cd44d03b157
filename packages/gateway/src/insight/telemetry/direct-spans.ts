import type { api, core, resources } from "@opentelemetry/sdk-node";
import { openDelegate } from "./delegate.ts";
import { exportRequest } from "./export-request.ts";
import type { Operation } from "./sides.ts";
import { SpanQueue, type SpanQueueSettings } from "./span-queue.ts";
import type { ServerPlace } from "./telemetry.ts";
import { traceContext } from "./trace-context.ts";
import { type Environment, variable } from "./variables.ts";

/** Takes the spans of operations. */
export interface SpanSink {
  add(operation: Operation, place: ServerPlace, epoch: number): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

export interface DirectOptions {
  readonly env: Environment;
  readonly sdk: { readonly api: typeof api; readonly core: typeof core };
  readonly resource: resources.Resource;
  readonly scope: { readonly name: string; readonly version: string };
  readonly warn: (message: string) => void;
}

const SAMPLED = 1;
const HTTP_PROTOBUF = "http/protobuf";
const DEFAULTS: SpanQueueSettings = {
  maxQueueSize: 2_048,
  maxExportBatchSize: 512,
  scheduleDelay: 5_000,
};

/** What wants more than spans as they are: samplers, limits, other exporters than OTLP's. */
const WANTS_MORE: readonly string[] = [
  "OTEL_TRACES_SAMPLER",
  "OTEL_BSP_EXPORT_TIMEOUT",
  "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
  "OTEL_ATTRIBUTE_COUNT_LIMIT",
  "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
  "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
  "OTEL_NODE_EXPERIMENTAL_SDK_METRICS",
];

/**
 * Whether spans go the short way, as they do where nothing but the collector is named: sampled by
 * their parents, sent by OTLP over HTTP as protobuf. All else is the SDK's own.
 */
export function isDirect(env: Environment): boolean {
  const protocol =
    variable(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ??
    variable(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  const exporter = variable(env, "OTEL_TRACES_EXPORTER");
  return (
    (protocol === undefined || protocol === HTTP_PROTOBUF) &&
    (exporter === undefined || exporter === "otlp") &&
    WANTS_MORE.every((name) => variable(env, name) === undefined)
  );
}

function queueSettings(env: Environment): SpanQueueSettings {
  const set = (name: string, least: number, otherwise: number): number => {
    const number = Number(variable(env, name) ?? Number.NaN);
    return number >= least ? Math.floor(number) : otherwise;
  };
  const { maxQueueSize: queue, maxExportBatchSize: batch, scheduleDelay: delay } = DEFAULTS;
  const maxQueueSize = set("OTEL_BSP_MAX_QUEUE_SIZE", 1, queue);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, set("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, batch)),
    scheduleDelay: set("OTEL_BSP_SCHEDULE_DELAY", 0, delay),
  };
}

/**
 * Sends spans without the SDK's making one of each.
 * @throws Error where the SDK that is installed has not the parts that this takes
 */
export function directSpans(options: DirectOptions): SpanSink {
  const { env, sdk, warn } = options;
  const to = openDelegate();
  const wrap = exportRequest(options.resource, options.scope);
  const propagator = new sdk.core.W3CTraceContextPropagator();
  const queue = new SpanQueue({
    settings: queueSettings(env),
    send: (spans) =>
      new Promise((resolve, reject) => {
        to.export(wrap(spans), ({ code, error }) => {
          if (code === sdk.core.ExportResultCode.SUCCESS) resolve();
          else reject(error ?? new Error("the export failed"));
        });
      }),
    warn,
  });
  return {
    add(operation, place, epoch) {
      const { meta } = operation.fact;
      let parent: api.SpanContext | undefined;
      if (meta !== undefined) {
        const context = traceContext(meta, propagator, sdk.api.ROOT_CONTEXT);
        parent = sdk.api.trace.getSpanContext(context);
        if (parent !== undefined && !sdk.api.isSpanContextValid(parent)) parent = undefined;
        // Whoever began the trace decides whether it is kept.
        if (parent !== undefined && (parent.traceFlags & SAMPLED) === 0) return;
      }
      queue.add(operation.client === undefined ? 1 : 2, operation, place, epoch, parent);
    },
    async close() {
      await queue.close();
      await to.shutdown();
    },
  };
}
