import { type Logger, startOwnThread, threadProgram, valueOrTimeout } from "@touchstone/util";
import type { FromWorker, ToWorker, WorkerSettings } from "./messages.ts";

/** A thread that needs more memory is ended; messages continue without it. */
const MAX_HEAP_MB = 256;
/** How long sending the remaining facts may take at shutdown once the thread is ready, in milliseconds. */
const CLOSE_MS = 2_000;
/** How long a thread that must end may still take to load, in milliseconds, because a busy machine is slow. */
const LOAD_MS = 8_000;
/** How many scrapes may run at the same time. */
const MAX_SCRAPES = 16;
/** How many different diagnostics to log; a collector that is down repeats one of them. */
const MAX_TOLD = 20;

/** Counts and exports facts in a separate thread. */
export interface TelemetryThread {
  post(message: ToWorker): void;
  /** Returns the metrics' text; undefined if the thread has ended or is too busy. */
  scrape(): Promise<Extract<FromWorker, { kind: "metrics" }> | undefined>;
  /** Lets the thread send the remaining facts, then ends it. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts the thread.
 * @param env the environment for the SDK's settings
 * @param taken called for each batch that was counted
 * @throws ThreadError if no further thread can start
 */
export function startThread(
  settings: WorkerSettings,
  env: Readonly<Record<string, string | undefined>>,
  { log, taken }: { readonly log: Logger; readonly taken: () => void },
): TelemetryThread {
  const worker = startOwnThread(threadProgram("insight/telemetry/worker/entry", import.meta.url), {
    workerData: settings,
    env: { ...env },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // Its output must never mix with the output of a stdio server.
    stdout: true,
    stderr: true,
  });
  const scrapes = new Map<
    number,
    (answer: Extract<FromWorker, { kind: "metrics" }> | undefined) => void
  >();
  const told = new Set<string>();
  let lastId = 0;
  let over = false;
  let closing = false;
  let begin = (): void => {};
  const ready = new Promise<void>((resolve) => {
    begin = resolve;
  });

  const tell = (level: "debug" | "warn", message: string): void => {
    const text = `telemetry: ${message}`;
    if (level === "debug" || told.has(text) || told.size >= MAX_TOLD) {
      log.debug(text);
      return;
    }
    told.add(text);
    log.warn(text);
  };
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n")) if (line.trim() !== "") log.info(`telemetry: ${line}`);
    });
  }
  worker.unref();
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "taken") taken();
    else if (message.kind === "ready") begin();
    else if (message.kind === "log") tell(message.level, message.message);
    else {
      scrapes.get(message.id)?.(message);
      scrapes.delete(message.id);
    }
  });
  worker.on("error", (error: Error) => {
    log.error(`telemetry has stopped; messages are still forwarded: ${error.message}`);
  });
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      over = true;
      for (const answer of scrapes.values()) answer(undefined);
      scrapes.clear();
      resolve();
    });
  });

  return {
    post(message) {
      if (!over && !closing) worker.postMessage(message);
    },
    scrape() {
      if (over || closing || scrapes.size >= MAX_SCRAPES) return Promise.resolve(undefined);
      lastId += 1;
      const id = lastId;
      worker.postMessage({ kind: "scrape", id } satisfies ToWorker);
      return new Promise((resolve) => scrapes.set(id, resolve));
    },
    async close() {
      if (!over && !closing) worker.postMessage({ kind: "close" } satisfies ToWorker);
      closing = true;
      // The thread must keep the process alive while a caller waits for it.
      worker.ref();
      if (await isLate(Promise.race([ended, ready]), LOAD_MS)) {
        log.warn(`telemetry is lost: it could not be loaded within ${LOAD_MS / 1000} s`);
      } else if (await isLate(ended, CLOSE_MS)) {
        log.warn(`telemetry that could not be sent within ${CLOSE_MS / 1000} s is lost`);
      }
      if (!over) await worker.terminate();
    },
  };
}

function isLate(what: Promise<void>, milliseconds: number): Promise<boolean> {
  const inTime = what.then(() => false);
  return valueOrTimeout(milliseconds, inTime, () => true);
}
