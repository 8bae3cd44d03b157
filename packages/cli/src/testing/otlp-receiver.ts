import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

type Value = { readonly stringValue?: string; readonly intValue?: number | string };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

interface RawSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A span as it was received, with its attributes and its resource's as objects. */
export interface ReceivedSpan extends Omit<RawSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly resource: Readonly<Record<string, string | number | undefined>>;
}

/** One body that was received. */
export interface Export {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** A collector on a free port, for the running test. */
export interface OtlpReceiver {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly exports: readonly Export[];
  /** Returns all spans in JSON bodies so far. */
  spans(): readonly ReceivedSpan[];
  /** Returns the last value of each data point in JSON bodies, by the metric's name. */
  metrics(): ReadonlyMap<string, readonly MetricPoint[]>;
}

export interface MetricPoint {
  readonly unit: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** The number of values of a histogram. */
  readonly count: number;
}

const plain = (attributes: Attributes) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? undefined : Number(intValue)),
    ]),
  );

interface RawTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

interface RawPoint {
  readonly attributes: Attributes;
  readonly count?: number | string;
  readonly asInt?: number | string;
  readonly asDouble?: number;
}

interface RawMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly dataPoints: readonly RawPoint[] };
  readonly sum?: { readonly dataPoints: readonly RawPoint[] };
  readonly gauge?: { readonly dataPoints: readonly RawPoint[] };
}

interface RawMetrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly RawMetric[] }[];
  }[];
}

/** Starts an OTLP/HTTP receiver (OpenTelemetry Protocol, OTLP/HTTP) that accepts everything. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const exports: Export[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const raw = Buffer.concat(parts);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      const type = request.headers["content-type"] ?? "";
      exports.push({ path: request.url ?? "", type, body });
      response.writeHead(200, { "content-type": type });
      response.end(type === "application/json" ? "{}" : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const bodies = <T>(path: string): T[] =>
    exports
      .filter((one) => one.path === path && one.type === "application/json")
      .map(({ body }) => JSON.parse(body.toString()) as T);
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    spans: () =>
      bodies<RawTraces>("/v1/traces").flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({
              ...span,
              attributes: plain(span.attributes),
              resource: plain(resource.attributes),
            })),
          ),
        ),
      ),
    metrics() {
      const found = new Map<string, readonly MetricPoint[]>();
      for (const { resourceMetrics } of bodies<RawMetrics>("/v1/metrics")) {
        const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
        for (const { name, unit, ...data } of all.flatMap(({ metrics }) => metrics)) {
          const { dataPoints = [] } = data.histogram ?? data.sum ?? data.gauge ?? {};
          const points = dataPoints.map(({ attributes, count, asInt, asDouble }) => ({
            unit,
            attributes: plain(attributes),
            count: Number(count ?? asInt ?? asDouble),
          }));
          found.set(name, points);
        }
      }
      return found;
    },
  };
}
