/// <reference types="node" />
import { parentPort } from "node:worker_threads";
import { SchemaCache } from "../cache.ts";
import type { LaterJob } from "../check-later.ts";

const cache = new SchemaCache({ maxEntries: 200 });

/** Runs each check that it receives and sends back the result. First sends `null` when it is ready. */
parentPort?.on("message", ({ schema, compile, input, options }: LaterJob) => {
  const check = cache.get({ text: schema }, compile).validateText(input, options);
  parentPort?.postMessage(check);
});
parentPort?.postMessage(null);
