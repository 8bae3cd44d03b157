import { parentPort } from "node:worker_threads";
import { changeMeaning, type DefinitionPair } from "./change-meaning.ts";

/**
 * Compares each pair of definitions that it receives, and sends back what their differences mean. First sends `null`
 * when it is ready.
 */
parentPort?.on("message", (pair: DefinitionPair) => {
  parentPort?.postMessage(changeMeaning(pair));
});
parentPort?.postMessage(null);
