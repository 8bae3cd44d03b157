import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "@touchstone/core/plain";
import { installationChanged, loadLateImports } from "@touchstone/util";
import { activityApi, type DriftReports } from "../api/api.ts";
import { ActivityError } from "../errors.ts";
import { openPlace } from "../place.ts";
import type { ActivityPruner, ActivityReader, StorePlace } from "../store.ts";
import { lowerThreadPriority } from "../thread-priority.ts";
import { Bodies } from "./bodies.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** How often records are rolled up, and added to the search index. */
const ROLL_UP_MS = 10_000;

/**
 * Serves the thread that reads, prunes and rolls up records: the program that `startActivityWorker` starts calls it
 * once.
 * @param options.drift for `activityApi`
 */
export function serveActivity({ drift }: { readonly drift: DriftReports }): void {
  lowerThreadPriority();
  const place = workerData as StorePlace;
  const bodies = new Bodies();
  // Loads all modules now, because an upgrade may replace the files later. If a file is missing then, the thread
  // ends, and with it the process.
  installationChanged.addEventListener("abort", () => {
    const { cause } = installationChanged.reason as Error;
    setImmediate(() => {
      throw cause ?? installationChanged.reason;
    });
  });
  const loaded = loadLateImports().catch(() => {});
  const stop = new AbortController();
  let reader: Promise<ActivityReader> | undefined;
  let pruner: Promise<ActivityPruner> | undefined;
  let rolling: Promise<void> | undefined;
  const timer = setInterval(rollUp, ROLL_UP_MS);

  function send(message: FromWorker): void {
    parentPort?.postMessage(message);
  }

  function fail(id: number, error: unknown): void {
    // When the thread ends, all requests fail.
    if (installationChanged.aborted) return;
    const message = messageOf(error);
    const code = error instanceof ActivityError ? error.code : undefined;
    send({ kind: "error", id, code, message });
  }

  async function answer(message: Extract<ToWorker, { kind: "request" }>): Promise<void> {
    const { id, question, settings } = message;
    bodies.begin(id);
    // After the first response, an upgrade may replace the files.
    await loaded;
    // If it could not be opened, the next request tries again.
    reader ??= openPlace(place).reader();
    const opened = await reader.catch((error: unknown) => {
      reader = undefined;
      throw error;
    });
    const response = await activityApi(opened, { settings, drift })(question);
    const { body } = response;
    if (!(await bodies.open(id, body))) return;
    send({ kind: "head", id, status: response.status, headers: [...response.headers] });
    if (body === null) send({ kind: "piece", id, bytes: null });
  }

  async function pull(id: number): Promise<void> {
    send({ kind: "piece", id, bytes: await bodies.read(id) });
  }

  async function openedPruner(): Promise<ActivityPruner> {
    pruner ??= openPlace(place).pruner();
    return pruner.catch((error: unknown) => {
      pruner = undefined;
      throw error;
    });
  }

  async function prune({ id, retention }: Extract<ToWorker, { kind: "prune" }>): Promise<void> {
    const { removed } = await (await openedPruner()).prune(retention, { signal: stop.signal });
    send({ kind: "pruned", id, removed });
  }

  async function erase({ id, request }: Extract<ToWorker, { kind: "erase" }>): Promise<void> {
    const eraser = await openPlace(place).eraser();
    try {
      send({ kind: "erased", id, erasure: await eraser.erase(request, { signal: stop.signal }) });
    } finally {
      await eraser.close();
    }
  }

  /**
   * Rolls up all remaining records: at first those from before this build, later those that no fold has rolled up.
   * Never rejects: records that are not rolled up are counted one by one.
   */
  function rollUp(): void {
    if (stop.signal.aborted) return;
    rolling ??= openedPruner()
      .then((opened) => opened.rollUp({ signal: stop.signal }))
      .catch(() => {})
      .finally(() => {
        rolling = undefined;
      });
  }

  async function close(): Promise<void> {
    stop.abort();
    clearInterval(timer);
    await bodies.end();
    await rolling;
    await (await reader?.catch(() => undefined))?.close();
    await (await pruner?.catch(() => undefined))?.close();
    parentPort?.close();
  }

  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "request":
        answer(message)
          .catch(async (error: unknown) => {
            fail(message.id, error);
            await bodies.cancel(message.id).catch(() => {});
          })
          .finally(rollUp);
        break;
      case "pull":
        pull(message.id).catch((error: unknown) => fail(message.id, error));
        break;
      case "cancel":
        bodies.cancel(message.id).catch(() => {});
        break;
      case "prune":
        prune(message)
          .catch((error: unknown) => fail(message.id, error))
          .finally(rollUp);
        break;
      case "erase":
        erase(message).catch((error: unknown) => fail(message.id, error));
        break;
      case "close":
        close().catch(() => parentPort?.close());
    }
  });
}
