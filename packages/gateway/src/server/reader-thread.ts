import type { ActivityWorker } from "@touchstone/records/worker";
import type { Logger } from "@touchstone/util";
import type { ActivitySettings } from "../config/config.ts";
import { startActivityWorker } from "../insight/reading/worker.ts";
import { retentionOf, storePlace } from "./records.ts";

/** Makes a thread that reads and prunes records; the first pruning begins after a delay. */
export function startReaderThread(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
  retentionDelayMs = 0,
): ActivityWorker {
  return startActivityWorker({
    place: storePlace(settings, dataDir),
    retention: retentionOf(settings),
    retentionDelayMs,
    onRetentionError: (error) =>
      log.error("old records could not be removed", { reason: error.message }),
  });
}
