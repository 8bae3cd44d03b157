import { expect, it } from "vitest";
import { exportersFor, otlpSignals, type Signal, unreadableKeyFiles } from "./environment.ts";

const ALL = "OTEL_EXPORTER_OTLP_ENDPOINT";
const URL = "http://collector:4318";

it.each<[string, Record<string, string>, boolean | undefined, string]>([
  ["nothing is set", {}, undefined, ""],
  ["nothing is set, and the configuration asks", {}, true, "traces metrics"],
  ["an endpoint for all signals", { [ALL]: URL }, undefined, "traces metrics"],
  ["an endpoint, and the configuration forbids", { [ALL]: URL }, false, ""],
  ["an empty endpoint is none", { [ALL]: " " }, undefined, ""],
  ["one for traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: URL }, undefined, "traces"],
  ["one for metrics", { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: URL }, undefined, "metrics"],
  ["an exporter without endpoint", { OTEL_TRACES_EXPORTER: "otlp" }, undefined, "traces"],
  ["an exporter that is none", { [ALL]: URL, OTEL_METRICS_EXPORTER: "none" }, undefined, "traces"],
  ["none, whatever the case", { OTEL_TRACES_EXPORTER: "None" }, true, "metrics"],
  ["the SDK is off", { [ALL]: URL, OTEL_SDK_DISABLED: "true" }, true, ""],
  ["the SDK is not off", { [ALL]: URL, OTEL_SDK_DISABLED: "1" }, undefined, "traces metrics"],
  ["something else is set", { OTEL_SERVICE_NAME: "x", OTEL_LOG_LEVEL: "debug" }, undefined, ""],
])("%s", (_case, env, configured, wanted) => {
  const { traces, metrics, logs } = otlpSignals(env, { otlp: configured });
  expect(logs).toBe(false);
  expect([traces && "traces", metrics && "metrics"].filter(Boolean).join(" ")).toBe(wanted);
});

it.each<[string, Record<string, string>, boolean | "bodies" | undefined, boolean]>([
  ["nothing is set", {}, undefined, false],
  ["only variables ask", { [ALL]: URL, OTEL_LOGS_EXPORTER: "otlp" }, undefined, false],
  ["the configuration asks", {}, true, true],
  ["the configuration asks for bodies", {}, "bodies", true],
  ["the configuration forbids", { [ALL]: URL }, false, false],
  ["the exporter is none", { [ALL]: URL, OTEL_LOGS_EXPORTER: "none" }, true, false],
  ["the SDK is off", { OTEL_SDK_DISABLED: "TRUE" }, true, false],
])("sends records only if the configuration says so: %s", (_case, env, records, wanted) => {
  const configured = records === undefined ? {} : { records };
  expect(otlpSignals(env, { otlp: false, ...configured })).toEqual({
    traces: false,
    metrics: false,
    logs: wanted,
  });
});

it.each<[Signal, Record<string, string>, readonly string[], string?]>([
  ["traces", {}, ["@opentelemetry/exporter-trace-otlp-proto OTLPTraceExporter"]],
  ["metrics", {}, ["@opentelemetry/exporter-metrics-otlp-proto OTLPMetricExporter"]],
  ["logs", {}, ["@opentelemetry/exporter-logs-otlp-proto OTLPLogExporter"]],
  [
    "logs",
    { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    ["@opentelemetry/exporter-logs-otlp-http OTLPLogExporter"],
  ],
  [
    "traces",
    { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" },
    ["@opentelemetry/exporter-trace-otlp-grpc OTLPTraceExporter"],
  ],
  [
    "traces",
    { OTEL_TRACES_EXPORTER: "console, otlp,console" },
    [
      "@opentelemetry/sdk-trace-base ConsoleSpanExporter",
      "@opentelemetry/exporter-trace-otlp-proto OTLPTraceExporter",
    ],
  ],
  [
    "metrics",
    { OTEL_METRICS_EXPORTER: "carrier" },
    [],
    'OTEL_METRICS_EXPORTER must be one of otlp, console, prometheus, none (got "carrier")',
  ],
  [
    "metrics",
    { OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "pigeon" },
    ["@opentelemetry/exporter-metrics-otlp-proto OTLPMetricExporter"],
    'the OTLP protocol must be one of http/protobuf, http/json, grpc (got "pigeon"); using http/protobuf',
  ],
])("chooses exporters of %s with %j", (signal, env, wanted, warning) => {
  const warnings: string[] = [];
  const found = exportersFor(env, signal, (message) => warnings.push(message));
  expect(found.map((choice) => `${choice.package} ${choice.exported}`)).toEqual(wanted);
  expect(warnings).toEqual(warning === undefined ? [] : [warning]);
});

it("names a variable's file that cannot be read", () => {
  const env = {
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/nowhere/ca.pem",
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: " ./none.key ",
    OTEL_EXPORTER_OTLP_CLIENT_KEY: import.meta.filename,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: "",
  };
  expect(unreadableKeyFiles(env)).toEqual([
    expect.stringMatching(
      /^OTEL_EXPORTER_OTLP_CERTIFICATE is left out: ENOENT.*'\/nowhere\/ca\.pem'/,
    ),
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY is left out: ENOENT.*none\.key/),
  ]);
});
