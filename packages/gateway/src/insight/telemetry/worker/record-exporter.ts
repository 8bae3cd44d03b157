import type { Resource } from "@opentelemetry/resources";
import type { LoggerProvider, LogRecordExporter, ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { summaryLine } from "@touchstone/records/reading";
import { type ActivityRecord, RECORD_FIELDS, STOPPED_STATUSES } from "@touchstone/records/record";
import type { Environment } from "../../../config/variables.ts";
import { positiveVariable } from "../environment.ts";
import { INSTRUMENTATION_SCOPE, openExporters } from "./exporters.ts";

/** Sends activity records as OpenTelemetry log records. */
export interface RecordExporter {
  /** Sends records. Rejects unless the collector accepts them. */
  send(records: readonly ActivityRecord[]): Promise<void>;
  close(): Promise<void>;
}

type LogRecord = Parameters<ReturnType<LoggerProvider["getLogger"]>["emit"]>[0];

/** `SeverityNumber` of OpenTelemetry's Logs Data Model. */
const INFO = { severityNumber: 9, severityText: "INFO" };
const WARN = { severityNumber: 13, severityText: "WARN" };
const ERROR = { severityNumber: 17, severityText: "ERROR" };
function severityOf({ status }: ActivityRecord): typeof INFO {
  if (status === "error") return ERROR;
  return status === "warning" || STOPPED_STATUSES.has(status) ? WARN : INFO;
}

/** The default of `OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT`. */
const MAX_ATTRIBUTES = 128;
/** `ExportResultCode.SUCCESS` of OpenTelemetry's core. */
const SUCCESS = 0;

export interface RecordExporterOptions {
  readonly env: Environment;
  readonly resource: Resource;
  /** The gateway's version. */
  readonly version: string;
  /** Whether to send arguments, results and other texts of calls. */
  readonly bodies: boolean;
  /** Receives what is wrong with a variable. */
  readonly warn: (message: string) => void;
}

/**
 * Opens the exporters that the standard environment variables name for logs.
 * @throws Error if a package is not installed
 */
export async function openRecordExporter(options: RecordExporterOptions): Promise<RecordExporter> {
  const { env, resource, version, bodies, warn } = options;
  const sdk = await import("@opentelemetry/sdk-logs");
  const exporters = openExporters<LogRecordExporter>(env, "logs", warn);
  let batch: ReadableLogRecord[] = [];
  const nothing = async (): Promise<void> => {};
  const limit = (name: string): number | undefined =>
    positiveVariable(env, `OTEL_LOGRECORD_ATTRIBUTE_${name}_LIMIT`) ??
    positiveVariable(env, `OTEL_ATTRIBUTE_${name}_LIMIT`);
  const provider = new sdk.LoggerProvider({
    resource,
    logRecordLimits: {
      attributeCountLimit: limit("COUNT") ?? MAX_ATTRIBUTES,
      attributeValueLengthLimit: limit("VALUE_LENGTH") ?? Number.POSITIVE_INFINITY,
    },
    // The SDK's own processors drop records if the collector refuses them, so they are not used.
    processors: [
      { onEmit: (record) => void batch.push(record), forceFlush: nothing, shutdown: nothing },
    ],
  });
  const logger = provider.getLogger(INSTRUMENTATION_SCOPE, version);
  return {
    async send(records) {
      batch = [];
      for (const record of records) logger.emit(logRecord(record, bodies));
      const made = batch;
      await Promise.all(exporters.map((exporter) => exported(exporter, made)));
    },
    async close() {
      await Promise.all([provider.shutdown(), ...exporters.map((each) => each.shutdown())]);
    },
  };
}

function exported(exporter: LogRecordExporter, records: ReadableLogRecord[]): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(records, ({ code, error }) => {
      if (code === SUCCESS) resolve();
      else reject(error ?? new Error("the export failed"));
    });
  });
}

/**
 * Returns a record as an OpenTelemetry log record: a line for people as its body, and every set field as an
 * attribute. Texts, numbers and booleans keep their type; anything else is JSON text, which every platform can store.
 */
export function logRecord(record: ActivityRecord, bodies: boolean): LogRecord {
  const attributes: NonNullable<LogRecord["attributes"]> = {};
  for (const [name, field] of RECORD_FIELDS) {
    const value: unknown = record[name];
    if (value === null || value === undefined || name === "time") continue;
    if (field.otlp === false || (!bodies && field.from === "body")) continue;
    attributes[field.otlp ?? `touchstone.${name}`] = attribute(value);
  }
  const time = Date.parse(record.time);
  return {
    // A record that was tampered with may have none.
    ...(Number.isNaN(time) ? {} : { timestamp: time }),
    eventName: `touchstone.${record.type}`,
    ...severityOf(record),
    body: summaryLine(record),
    attributes,
  };
}

function attribute(value: unknown): string | number | boolean {
  if (typeof value === "string" || typeof value === "boolean") return value;
  // Integers in Protobuf have 64 bits.
  const isNumber = typeof value === "number";
  return isNumber && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : JSON.stringify(value);
}
