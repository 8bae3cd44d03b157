// The thread that reads and prunes beside the relay. Started by `startActivityWorker` only.
import { parentPort, workerData } from "node:worker_threads";
import { activityApi } from "../api/api.ts";
import { ActivityError } from "../errors.ts";
import { openPlace } from "../place.ts";
import type { ActivityPruner, ActivityReader } from "../store.ts";
import { yieldToRelay } from "../yield.ts";
import type { FromWorker, StorePlace, ToWorker } from "./messages.ts";

yieldToRelay();
const place = workerData as StorePlace;
const bodies = new Map<number, ReadableStreamDefaultReader<Uint8Array>>();
const stop = new AbortController();
let reader: Promise<ActivityReader> | undefined;
let pruner: Promise<ActivityPruner> | undefined;

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function fail(id: number, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ActivityError ? error.code : undefined;
  send({ kind: "error", id, code, message });
}

async function answer(message: Extract<ToWorker, { kind: "request" }>): Promise<void> {
  const { id, url, method, headers } = message;
  // One that could not be opened is tried again with the next question.
  reader ??= openPlace(place).reader();
  const opened = await reader.catch((error: unknown) => {
    reader = undefined;
    throw error;
  });
  const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  const response = await activityApi(opened)(new Request(url, init));
  const body = response.body?.getReader();
  if (body !== undefined) bodies.set(id, body);
  send({ kind: "head", id, status: response.status, headers: [...response.headers] });
  if (body === undefined) send({ kind: "piece", id, bytes: null });
}

async function pull(id: number): Promise<void> {
  const { done, value } = (await bodies.get(id)?.read()) ?? { done: true, value: undefined };
  if (done) bodies.delete(id);
  send({ kind: "piece", id, bytes: done ? null : value });
}

async function prune({ id, retention }: Extract<ToWorker, { kind: "prune" }>): Promise<void> {
  pruner ??= openPlace(place).pruner();
  const opened = await pruner.catch((error: unknown) => {
    pruner = undefined;
    throw error;
  });
  const { removed } = await opened.prune(retention, { signal: stop.signal });
  send({ kind: "pruned", id, removed });
}

async function close(): Promise<void> {
  stop.abort();
  for (const body of bodies.values()) await body.cancel().catch(() => {});
  await (await reader?.catch(() => undefined))?.close();
  await (await pruner?.catch(() => undefined))?.close();
  parentPort?.close();
}

parentPort?.on("message", (message: ToWorker) => {
  switch (message.kind) {
    case "request":
      answer(message).catch((error: unknown) => fail(message.id, error));
      break;
    case "pull":
      pull(message.id).catch((error: unknown) => fail(message.id, error));
      break;
    case "cancel":
      bodies
        .get(message.id)
        ?.cancel()
        .catch(() => {});
      bodies.delete(message.id);
      break;
    case "prune":
      prune(message).catch((error: unknown) => fail(message.id, error));
      break;
    case "close":
      close().catch(() => parentPort?.close());
  }
});
