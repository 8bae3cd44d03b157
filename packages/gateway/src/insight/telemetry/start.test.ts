import { describe, expect, it } from "vitest";
import { createLogger } from "../../../../util/src/log.ts";
import { openTelemetry } from "./open.ts";
import { TelemetryError } from "./packages.ts";
import { startTelemetry, type TelemetryOptions } from "./start.ts";
import { parseMetrics } from "./testing/parse-metrics.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };

function started(options: Partial<TelemetryOptions>) {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), "debug");
  const absent = (name: string): void => {
    if (name !== "prom-client") throw new Error("not found");
  };
  const telemetry = startTelemetry({
    settings: { metrics: false },
    env: {},
    log,
    resolve: absent,
    ...options,
  });
  return { telemetry, lines };
}

describe("without OpenTelemetry's SDK", () => {
  it.each([
    [
      { otlp: true },
      {},
      "api resources sdk-trace-base exporter-trace-otlp-proto sdk-metrics exporter-metrics-otlp-proto",
    ],
    [
      { records: true },
      { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
      "api resources sdk-logs exporter-logs-otlp-http",
    ],
    [{ records: "bodies" as const }, { OTEL_LOGS_EXPORTER: "console" }, "api resources sdk-logs"],
    [
      { otlp: true },
      { OTEL_METRICS_EXPORTER: "none", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "api resources sdk-trace-base exporter-trace-otlp-grpc",
    ],
  ])(
    "reports that %j in the configuration needs packages, and which to install",
    (more, env, packages) => {
      const settings = { metrics: false, ...more };
      expect(() => started({ settings, env })).toThrow(TelemetryError);
      const versions = packages
        .split(" ")
        .map((name) => `@opentelemetry/${name}@\\d+\\.\\d+\\.\\d+`);
      expect(() => started({ settings, env })).toThrow(
        new RegExp(`npm install ${versions.join(" ")}, beside touchstone\\.$`),
      );
    },
  );

  it("warns about variables that ask for OTLP, and starts nothing", () => {
    const { telemetry, lines } = started({ env: ENDPOINT });
    expect(telemetry).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^touchstone warn: .*npm install/)]);
  });

  it("serves metrics anyway", async () => {
    const { telemetry } = started({ settings: { metrics: true }, env: ENDPOINT });
    const answer = await telemetry?.metrics?.(new Request("http://localhost/metrics"));
    expect(answer?.status).toBe(200);
    await telemetry?.close();
  });
});

it("reports which package metrics need if prom-client is missing", () => {
  const resolve = (): never => {
    throw new Error("not found");
  };
  const settings = { metrics: true };
  expect(() => started({ settings, resolve })).toThrow(TelemetryError);
  expect(() => started({ settings, resolve })).toThrow(/npm install prom-client@/);
});

it("starts nothing if nothing asks for it", async () => {
  const log = createLogger(() => {}, "debug");
  expect(await openTelemetry({ env: {}, log })).toBeUndefined();
  expect(
    await openTelemetry({ settings: { metrics: false, otlp: false }, env: ENDPOINT, log }),
  ).toBeUndefined();
});

it("a scrape includes everything that came before it", async () => {
  const { telemetry, lines } = started({ settings: { metrics: true } });
  if (telemetry?.metrics === undefined) throw new Error("no metrics");
  const server = telemetry.server({ name: "s", client: "tcp", upstream: { transport: "pipe" } });
  telemetry.watchCache({ size: 5 });
  const page = async (): Promise<ReturnType<typeof parseMetrics>> => {
    const answer = await telemetry.metrics?.(new Request("http://localhost/metrics"));
    expect(answer?.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    return parseMetrics((await answer?.text()) ?? "");
  };
  for (let i = 1; i <= 3; i += 1) {
    server.appended(1);
    telemetry.compiled(1);
    const metrics = await page();
    for (const name of ["activity_append", "schema_compile"]) {
      const family = metrics.get(`touchstone_${name}_duration_seconds`);
      expect(family?.samples.find((s) => s.name.endsWith("_count"))?.value).toBe(i);
    }
    expect(metrics.get("touchstone_schema_cache_entries")?.samples[0]?.value).toBe(5);
  }
  const posted = await telemetry.metrics(new Request("http://localhost/", { method: "POST" }));
  expect([posted.status, await posted.json()]).toMatchObject([405, { code: "METHOD_NOT_ALLOWED" }]);
  await telemetry.close();
  const late = await telemetry.metrics(new Request("http://localhost/metrics"));
  expect(late.status).toBe(503);
  expect(lines).toEqual([]);
});
