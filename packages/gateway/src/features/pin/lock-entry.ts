import { parentPort, workerData } from "node:worker_threads";
import { lockParts } from "./lock-parts.ts";

/** Reads one lock file, and sends back in parts what it has of a server. */
const { path, server } = workerData as { readonly path: string; readonly server: string };
for (const part of lockParts(path, server)) parentPort?.postMessage(part);
