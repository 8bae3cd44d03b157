// The thread that folds journals, so that the relay does not have to. Started by `FoldThread` only.
import { parentPort, workerData } from "node:worker_threads";
import { writeFault } from "../sqlite/faults.ts";
import { lowerThreadPriority } from "../thread-priority.ts";
import { createFolder } from "./fold.ts";
import type { FoldResult, FoldTarget } from "./thread.ts";

/** How much to fold before reporting to the relay, which may be waiting for room. */
const STEP_BYTES = 2 * 1024 * 1024;

// The rest of the journal is safe.
lowerThreadPriority();
const { database, chain } = workerData as FoldTarget;
const folder = createFolder(database);

parentPort?.on("message", () => {
  const answer = (folded: FoldResult): void => parentPort?.postMessage(folded);
  folder.fold({ chain, maxBytes: STEP_BYTES }).then(
    (left) => answer({ left: left.get(chain) ?? 0 }),
    (error: unknown) => answer({ error: writeFault(error, database).message }),
  );
});
