import { parentPort } from "node:worker_threads";
import { compileSchema } from "@touchstone/core";

/**
 * Reads each schema that it receives, and sends back what is wrong with it, or `null` if nothing is. First sends `null`
 * when it is ready.
 */
parentPort?.on("message", (text: Uint8Array) => {
  parentPort?.postMessage(compileSchema({ text }).fault ?? null);
});
parentPort?.postMessage(null);
