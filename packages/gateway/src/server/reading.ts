import type { ActivitySettings } from "../config/config.ts";
import { type ActivityWorker, startActivityWorker } from "../records/worker/client.ts";
import type { Logger } from "../util/log.ts";
import { placeOf, retentionOf } from "./records.ts";

/** Makes a thread that reads and prunes records; the first pruning begins after a delay. */
export function startReading(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
  retentionDelayMs = 0,
): ActivityWorker {
  return startActivityWorker({
    place: placeOf(settings, dataDir),
    retention: retentionOf(settings),
    retentionDelayMs,
    onRetentionError: (error) =>
      log.error("old records could not be removed", { reason: error.message }),
  });
}
