import { expect, it } from "vitest";
import { otlpSignals } from "./otlp-signals.ts";

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
  const { traces, metrics } = otlpSignals(env, configured);
  expect([traces && "traces", metrics && "metrics"].filter(Boolean).join(" ")).toBe(wanted);
});
