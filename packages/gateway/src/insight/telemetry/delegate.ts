import { createRequire } from "node:module";
import type { core } from "@opentelemetry/sdk-node";

/** What of `@opentelemetry/otlp-exporter-base/node-http` sends: it is told of requests that are bytes. */
interface Transport {
  readonly convertLegacyHttpOptions: (
    config: object,
    signal: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ) => unknown;
  readonly createOtlpHttpExportDelegate: (
    options: unknown,
    serializer: object,
    component: string,
    helper: object,
  ) => Delegate;
}

/** Takes requests that are written already. */
export interface Delegate {
  export(request: Uint8Array, done: (result: core.ExportResult) => void): void;
  shutdown(): Promise<void>;
}

/**
 * The SDK's own way to the collector of spans, by OTLP over HTTP as protobuf: address, headers,
 * certificates, compression, repetition are as its variables say.
 * @throws Error where the SDK that is installed has not the parts that this takes
 */
export function openDelegate(): Delegate {
  const found = createRequire(createRequire(import.meta.url).resolve("@opentelemetry/sdk-node"));
  const base = "@opentelemetry/otlp-exporter-base/node-http";
  const transport = found(base) as Transport;
  const { ProtobufTraceSerializer: own } = createRequire(found.resolve(base))(
    "@opentelemetry/otlp-transformer",
  ) as { ProtobufTraceSerializer: { deserializeResponse(data: Uint8Array): unknown } };
  const headers = { "Content-Type": "application/x-protobuf" };
  return transport.createOtlpHttpExportDelegate(
    transport.convertLegacyHttpOptions({}, "TRACES", "v1/traces", headers),
    {
      serializeRequest: (request: Uint8Array) => request,
      deserializeResponse: (data: Uint8Array) => own.deserializeResponse(data),
    },
    "otlp_http_span_exporter",
    { name: "span", countItems: () => 0 },
  );
}
