import { ATTRIBUTES as A } from "./conventions.ts";

/**
 * A metric: its OpenTelemetry name, and the Prometheus name that OpenTelemetry's rules derive from it (Prometheus and
 * OpenMetrics Compatibility): dots become underscores, and the unit and `_total` go to the end.
 */
export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly name: string;
  /** UCUM: `s`, or a number of `{things}`. */
  readonly unit: string;
  readonly description: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

/** The labels of one series; labels that do not apply are absent. */
export type Labels = Readonly<Record<string, string | number>>;

/** The counters. */
export interface MetricSink {
  /** Adds to a counter, records in a histogram, or sets a gauge. */
  note(metric: Metric, value: number, labels: Labels): void;
}

/** The buckets that the conventions specify. */
const OPERATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** From 10 µs on: most checks take less than a tenth of a millisecond. */
const WORK_BUCKETS = [0.00001, 0.000025, 0.0001, 0.00025, 0.001, 0.0025, 0.01, 0.025, 0.1, 1];

const OPERATION_LABELS = [
  A.server,
  A.caller,
  A.method,
  A.toolName,
  A.promptName,
  A.operationName,
  A.protocolVersion,
  A.transport,
  A.protocolName,
  A.errorType,
  A.statusCode,
];

type MetricKey =
  | "alerts"
  | "appendDuration"
  | "cacheEntries"
  | "clientOperation"
  | "compileDuration"
  | "dropped"
  | "guardTrips"
  | "repeatedRefusals"
  | "serverOperation"
  | "validationDuration"
  | "validations";

/** All metrics. */
export const METRICS: Readonly<Record<MetricKey, Metric>> = {
  serverOperation: {
    kind: "histogram",
    name: "mcp.server.operation.duration",
    unit: "s",
    description:
      "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.",
    labels: [...OPERATION_LABELS, A.status],
    buckets: OPERATION_BUCKETS,
  },
  clientOperation: {
    kind: "histogram",
    name: "mcp.client.operation.duration",
    unit: "s",
    description:
      "The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.",
    labels: [...OPERATION_LABELS, A.serverAddress, A.serverPort],
    buckets: OPERATION_BUCKETS,
  },
  validations: {
    kind: "counter",
    name: "touchstone.validations",
    unit: "{validation}",
    description: "Checks of arguments, structured results and messages.",
    labels: ["direction", "mode", "outcome", "decision", "rule"],
  },
  validationDuration: {
    kind: "histogram",
    name: "touchstone.validation.duration",
    unit: "s",
    description: "Time that a check took.",
    labels: ["direction"],
    buckets: WORK_BUCKETS,
  },
  guardTrips: {
    kind: "counter",
    name: "touchstone.guard_trips",
    unit: "{trip}",
    description: "Payloads that were not checked to the end: too large, too deep, too costly.",
    labels: ["direction", "guard"],
  },
  repeatedRefusals: {
    kind: "counter",
    name: "touchstone.repeated_refusals",
    unit: "{call}",
    description: "Calls that were blocked for arguments that were blocked before.",
    labels: [],
  },
  cacheEntries: {
    kind: "gauge",
    name: "touchstone.schema_cache_entries",
    unit: "{schema}",
    description: "Compiled schemas that are kept.",
    labels: [],
  },
  compileDuration: {
    kind: "histogram",
    name: "touchstone.schema_compile.duration",
    unit: "s",
    description: "Time to read and build a schema that was not in the cache.",
    labels: [],
    buckets: WORK_BUCKETS,
  },
  appendDuration: {
    kind: "histogram",
    name: "touchstone.activity_append.duration",
    unit: "s",
    description: "Time until records were committed.",
    labels: [],
    buckets: WORK_BUCKETS,
  },
  alerts: {
    kind: "counter",
    name: "touchstone.alerts",
    unit: "{alert}",
    description: "Alerts that were sent, failed, dropped because too many waited, or suppressed.",
    labels: ["when", "outcome"],
  },
  dropped: {
    kind: "counter",
    name: "touchstone.telemetry_dropped",
    unit: "{fact}",
    description: "Facts that were not counted or exported, because too many waited.",
    labels: [],
  },
};

const PROMETHEUS_UNITS: Readonly<Record<string, string>> = { s: "_seconds" };

/** Returns the Prometheus name of a metric. */
export function prometheusName({ kind, name, unit }: Metric): string {
  const base = prometheusLabel(name) + (PROMETHEUS_UNITS[unit] ?? "");
  return kind === "counter" ? `${base}_total` : base;
}

/** Returns the Prometheus name of an attribute. */
export function prometheusLabel(name: string): string {
  return name.replaceAll(".", "_");
}
