import { parentPort } from "node:worker_threads";
import { compileDeclared } from "@touchstone/core/advanced";

/**
 * Reads each schema that it receives, and sends back what is wrong with it, or `null` if nothing is. First sends `null`
 * when it is ready.
 */
parentPort?.on("message", (text: Uint8Array) => {
  parentPort?.postMessage(compileDeclared({ text }).error ?? null);
});
parentPort?.postMessage(null);
