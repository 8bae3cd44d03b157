import { createServer } from "node:http";
import {
  createServer as createGrpc,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { METRICS } from "../metrics.ts";
import { LabelNameLimit } from "./labels.ts";
import { diagnosticText, startOtlp } from "./otlp.ts";
import { readOperation } from "./sides.ts";

afterEach(() => void vi.unstubAllEnvs());

it.each<[unknown[], string]>([
  [[`{"stack":"Error: no\\n    at a (/home/me/a.js:1:1)","message":"no","name":"Error"}`], "no"],
  [["2 spans were dropped"], "2 spans were dropped"],
  [
    ["OTLPExportDelegate", "could not be read", new Error("no"), { a: 1 }],
    "OTLPExportDelegate: could not be read: no",
  ],
  [["Component", `{"message":"no"}`, undefined, ""], "Component: no"],
  [[`{"message":1}`], `{"message":1}`],
  [["{not JSON"], "{not JSON"],
])("%j", ([told, ...rest], text) => {
  expect(diagnosticText(String(told), ...rest)).toBe(text);
});

it("reports a collector that refuses metrics, without a stack trace", async () => {
  const collector = createServer((request, response) => {
    request.resume();
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
  vi.stubEnv("OTEL_METRIC_EXPORT_INTERVAL", "100");
  vi.stubEnv("OTEL_METRIC_EXPORT_TIMEOUT", "100");
  let tell: (message: string) => void = () => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const otlp = await startOtlp(
    { traces: false, metrics: true, logs: false },
    "1",
    (level, message) => {
      if (level === "warn") tell(message);
    },
  );
  // The SDK only sends metrics that have a value.
  otlp.metrics?.note(METRICS.cacheEntries, 1, {});
  try {
    expect(await told).toMatch(/^PeriodicExportingMetricReader: metrics export failed [^\n]*$/);
  } finally {
    await otlp.close().catch(() => {});
    collector.close();
    collector.closeAllConnections();
  }
});

it("reports an invalid address", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "no address");
  const told: string[] = [];
  const signals = { traces: true, metrics: false, logs: false };
  const otlp = await startOtlp(signals, "1", (level, message) => told.push(`${level} ${message}`));
  await otlp.close();
  expect(told).toContainEqual(expect.stringMatching(/^warn .*no address/));
});

it("sends all signals over gRPC if that is the protocol", async () => {
  const paths: unknown[] = [];
  const collector = createGrpc();
  collector.on("stream", (stream: ServerHttp2Stream, { ":path": path }: IncomingHttpHeaders) => {
    paths.push(path);
    stream.resume().on("end", () => {
      stream.respond(
        { ":status": 200, "content-type": "application/grpc" },
        { waitForTrailers: true },
      );
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      // An empty gRPC message.
      stream.end(Buffer.alloc(5));
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
  const told: string[] = [];
  const signals = { traces: true, metrics: true, logs: true };
  const otlp = await startOtlp(signals, "1", (level, text) => told.push(`${level} ${text}`));
  const fact = {
    server: "srv",
    from: "client",
    method: "ping",
    known: false,
    began: 1,
    ended: 2,
    ending: {},
  } as const;
  const place = { name: "srv", client: "pipe", upstream: { transport: "pipe" } } as const;
  otlp.spans?.(readOperation(fact, place, new LabelNameLimit()), place, Date.now());
  otlp.metrics?.note(METRICS.cacheEntries, 1, {});
  await otlp.records?.send([]);
  await otlp.close();
  await otlp.records?.close();
  expect(told.filter((line) => line.startsWith("warn"))).toEqual([]);
  expect(paths.toSorted()).toEqual(
    ["logs", "metrics", "trace"].map(
      (name) =>
        `/opentelemetry.proto.collector.${name}.v1.${name.replace(/^./, (c) => c.toUpperCase())}Service/Export`,
    ),
  );
});
