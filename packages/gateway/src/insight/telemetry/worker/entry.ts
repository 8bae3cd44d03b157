// The thread that counts and exports facts, separate from the thread that relays messages. Started by
// `startTelemetry` only.
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "@touchstone/records/plain";
import type { FactBatch } from "../facts.ts";
import type { MetricSink } from "../metrics.ts";
import type { ServerAddresses } from "../telemetry.ts";
import { countBatch } from "./count.ts";
import { LabelNameLimit } from "./labels.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./messages.ts";
import type { Otlp } from "./otlp.ts";
import type { PrometheusMetrics } from "./prometheus.ts";
import type { RecordSender } from "./record-sender.ts";
import { readOperation, type TracedOperation } from "./sides.ts";

/**
 * How long sending records may take at shutdown, in milliseconds; the remaining records are sent after the next
 * start.
 */
const RECORDS_MS = 1_000;

lowerThreadPriority();
const settings = workerData as WorkerSettings;
const places = new Map<string, ServerAddresses>();
const names = new LabelNameLimit();

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function prometheus(): Promise<PrometheusMetrics | undefined> {
  if (!settings.metrics) return undefined;
  return (await import("./prometheus.ts")).createPrometheusMetrics();
}

async function collector(): Promise<Otlp | undefined> {
  const { traces, metrics, logs } = settings.otlp;
  if (!traces && !metrics && !logs) return undefined;
  const { startOtlp } = await import("./otlp.ts");
  const tell = (level: "debug" | "warn", message: string): void =>
    send({ kind: "log", level, message });
  return startOtlp(settings.otlp, settings.version, tell, settings.records?.bodies);
}

async function recordSender(otlp: Otlp | undefined): Promise<RecordSender | undefined> {
  const { records } = settings;
  if (otlp?.records === undefined || records === undefined) return undefined;
  const { RecordSender } = await import("./record-sender.ts");
  const { place, since } = records;
  const warn = (message: string): void => send({ kind: "log", level: "warn", message });
  return new RecordSender({ place, since, exporter: otlp.records, warn });
}

function reader(page: PrometheusMetrics | undefined, otlp: Otlp | undefined) {
  const sinks: readonly MetricSink[] = [page, otlp?.metrics].filter((sink) => sink !== undefined);
  return (batch: FactBatch): void => {
    const operations: TracedOperation[] = [];
    for (const fact of batch.operations) {
      const place = places.get(fact.server);
      if (place === undefined) continue;
      const operation = readOperation(fact, place, names);
      operations.push(operation);
      otlp?.spans?.(operation, place, batch.epoch);
    }
    for (const sink of sinks) countBatch(sink, batch, operations);
  };
}

async function run(): Promise<void> {
  const page = await prometheus();
  const otlp = await collector();
  const records = await recordSender(otlp);
  const read = reader(page, otlp);
  const take = async (message: ToWorker): Promise<void> => {
    switch (message.kind) {
      case "server":
        places.set(message.place.name, message.place);
        break;
      case "batch":
        read(message.batch);
        send({ kind: "taken" });
        break;
      case "scrape": {
        const { contentType = "", text = "" } =
          page === undefined ? {} : { contentType: page.contentType, text: await page.text() };
        send({ kind: "metrics", id: message.id, contentType, text });
        break;
      }
      case "close": {
        const [isFinished = true] = await Promise.all([records?.finish(RECORDS_MS), otlp?.close()]);
        if (isFinished) await otlp?.records?.close();
        parentPort?.close();
        // A pending retry would keep the thread alive.
        if (!isFinished) process.exit();
      }
    }
  };
  parentPort?.on("message", (message: ToWorker) => {
    take(message).catch((error: unknown) => {
      send({ kind: "log", level: "warn", message: String(error) });
      if (message.kind === "close") parentPort?.close();
    });
  });
  send({ kind: "ready" });
}

await run();
