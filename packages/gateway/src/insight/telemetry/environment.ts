import { accessSync, constants } from "node:fs";
import { messageOf } from "@touchstone/core/plain";
import type { Environment } from "../../config/variables.ts";

/** The signals that OpenTelemetry can send. */
export type Signal = "traces" | "metrics" | "logs";

/** Which signals are sent to a collector. */
export type OtlpSignals = Readonly<Record<Signal, boolean>>;

/** An exporter: its package, and its class there. */
export interface ExporterChoice {
  readonly package: string;
  readonly exported: string;
}

const SIGNALS: readonly Signal[] = ["traces", "metrics", "logs"];
const DEFAULT_PROTOCOL = "http/protobuf";

/** The last part of an OTLP exporter's package, by `OTEL_EXPORTER_OTLP_PROTOCOL`. */
const PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ["http/protobuf", "proto"],
  ["http/json", "http"],
  ["grpc", "grpc"],
]);

/** The class names of OTLP's exporters, by signal. */
const OTLP: Readonly<Record<Signal, { readonly package: string; readonly exported: string }>> = {
  traces: { package: "trace", exported: "OTLPTraceExporter" },
  metrics: { package: "metrics", exported: "OTLPMetricExporter" },
  logs: { package: "logs", exported: "OTLPLogExporter" },
};

/** The other exporters, by their names in `OTEL_{SIGNAL}_EXPORTER`. */
const OTHERS: Readonly<Record<Signal, ReadonlyMap<string, ExporterChoice>>> = {
  traces: new Map([
    ["console", { package: "@opentelemetry/sdk-trace-base", exported: "ConsoleSpanExporter" }],
    ["zipkin", { package: "@opentelemetry/exporter-zipkin", exported: "ZipkinExporter" }],
  ]),
  metrics: new Map([
    ["console", { package: "@opentelemetry/sdk-metrics", exported: "ConsoleMetricExporter" }],
    [
      "prometheus",
      { package: "@opentelemetry/exporter-prometheus", exported: "PrometheusExporter" },
    ],
  ]),
  logs: new Map([
    ["console", { package: "@opentelemetry/sdk-logs", exported: "ConsoleLogRecordExporter" }],
  ]),
};

/** Returns a variable's text; undefined if it is empty (OpenTelemetry Environment Variable Specification). */
export function environmentVariable(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

/** Returns a variable's number; undefined unless it is greater than 0, as every limit and interval must be. */
export function positiveVariable(env: Environment, name: string): number | undefined {
  const number = Number(environmentVariable(env, name) ?? Number.NaN);
  return number > 0 ? number : undefined;
}

function exporterNames(env: Environment, signal: Signal): readonly string[] {
  const text = environmentVariable(env, `OTEL_${signal.toUpperCase()}_EXPORTER`) ?? "";
  return [...new Set(text.split(",").map((name) => name.trim().toLowerCase()))].filter(Boolean);
}

function endpoint(env: Environment, signal: Signal): string | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  return environmentVariable(env, own) ?? environmentVariable(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
}

/**
 * Returns which signals to send. Traces and metrics are sent if the variables name an exporter or an endpoint for
 * them, or if the configuration says so; records are sent only if the configuration says so. `OTEL_SDK_DISABLED=true`
 * and an exporter `none` override both.
 * @param configured `telemetry.otlp` and `telemetry.records`; with `otlp: false` neither traces nor metrics are sent
 */
export function otlpSignals(
  env: Environment,
  configured: { readonly otlp?: boolean | undefined; readonly records?: boolean | "bodies" },
): OtlpSignals {
  const disabled = environmentVariable(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const { otlp, records = false } = configured;
  const isSent = (signal: Signal): boolean => {
    const names = exporterNames(env, signal);
    if (disabled || names.includes("none")) return false;
    if (signal === "logs") return records !== false;
    if (otlp === false) return false;
    return otlp === true || names.length > 0 || endpoint(env, signal) !== undefined;
  };
  return { traces: isSent("traces"), metrics: isSent("metrics"), logs: isSent("logs") };
}

/**
 * Returns the exporters that the variables name for a signal; OTLP's if they name none.
 * @param warn receives what is wrong with a variable, one sentence each
 */
export function exportersFor(
  env: Environment,
  signal: Signal,
  warn: (message: string) => void = () => {},
): readonly ExporterChoice[] {
  const names = exporterNames(env, signal);
  const found = (names.length === 0 ? ["otlp"] : names).flatMap((name) => {
    if (name === "otlp") return [otlpExporter(env, signal, warn)];
    const other = OTHERS[signal].get(name);
    if (other !== undefined) return [other];
    const known = ["otlp", ...OTHERS[signal].keys(), "none"].join(", ");
    warn(`OTEL_${signal.toUpperCase()}_EXPORTER must be one of ${known} (got "${name}")`);
    return [];
  });
  return found;
}

function otlpExporter(
  env: Environment,
  signal: Signal,
  warn: (message: string) => void,
): ExporterChoice {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`;
  const told =
    environmentVariable(env, own) ?? environmentVariable(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  const protocol = told ?? DEFAULT_PROTOCOL;
  const known = PROTOCOLS.get(protocol);
  if (known === undefined) {
    const names = [...PROTOCOLS.keys()].join(", ");
    warn(
      `the OTLP protocol must be one of ${names} (got "${protocol}"); using ${DEFAULT_PROTOCOL}`,
    );
  }
  const { package: name, exported } = OTLP[signal];
  return { package: `@opentelemetry/exporter-${name}-otlp-${known ?? "proto"}`, exported };
}

const KEY_FILES = ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"];

/**
 * Returns a sentence for each certificate or key for the collector that cannot be read, with its variable: the SDK
 * continues without them and does not report which one, or why (OpenTelemetry, OTLP Exporter Configuration).
 */
export function unreadableKeyFiles(env: Environment): readonly string[] {
  return ["", ...SIGNALS.map((signal) => `${signal.toUpperCase()}_`)]
    .flatMap((signal) => KEY_FILES.map((file) => `OTEL_EXPORTER_OTLP_${signal}${file}`))
    .flatMap((name) => {
      const path = environmentVariable(env, name);
      if (path === undefined) return [];
      try {
        accessSync(path, constants.R_OK);
        return [];
      } catch (error) {
        return [`${name} is left out: ${messageOf(error)}`];
      }
    });
}
