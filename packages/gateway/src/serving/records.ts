import { openActivityStore } from "../activity/sqlite/open.ts";
import type { ActivityStore, Retention } from "../activity/store.ts";
import type { StorePlace } from "../activity/worker/messages.ts";
import type { ActivitySettings } from "../config/config.ts";
import type { Logger } from "../log.ts";

const DAY_MS = 86_400_000;

/** Where the records are that a configuration speaks of. */
export function placeOf({ store }: Pick<ActivitySettings, "store">, dataDir: string): StorePlace {
  return store === undefined ? { dataDir } : { url: store };
}

/** How long records are kept. */
export function retentionOf(settings: ActivitySettings): Retention {
  const { retentionDays, maxRecords, maxBytes } = settings;
  return { maxAgeMs: retentionDays * DAY_MS, maxRecords, maxBytes };
}

/**
 * Opens the records that a configuration speaks of. PostgreSQL's client is loaded only where it does.
 * @throws ActivityError when they cannot be written
 */
export async function openRecords(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
): Promise<ActivityStore> {
  const { store, sync, bodies, bodyMaxBytes } = settings;
  const kept = bodies ? { bodies: { maxBytes: bodyMaxBytes } } : {};
  const opened =
    store === undefined
      ? await openActivityStore({ dataDir, sync, ...kept })
      : await (await import("../activity/postgres/open.ts")).openPostgresStore({
          url: store,
          ...kept,
        });
  return settings.onWriteFailure === "refuse" ? opened : goingOn(opened, log);
}

/** The same records, where one that cannot be kept is told loudly and stops nothing. */
function goingOn(store: ActivityStore, log: Logger): ActivityStore {
  return {
    ...store,
    async append(entries) {
      try {
        return await store.append(entries);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.error("records are lost, and traffic goes on as configured", {
          records: entries.length,
          reason,
        });
        return [];
      }
    },
  };
}
