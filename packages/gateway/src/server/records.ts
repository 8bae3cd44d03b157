import { statSync } from "node:fs";
import {
  type ActivityStore,
  type BodySettings,
  placeOf as databaseOf,
  MAX_FAILED_ARGUMENTS,
  type Retention,
  type StorePlace,
} from "@touchstone/records/plain";
import type { ActivityRecord } from "@touchstone/records/record";
import { openActivityStore } from "@touchstone/records/sqlite";
import type { Logger } from "@touchstone/util";
import type { ActivitySettings } from "../config/config.ts";
import { DegradedStore } from "./degraded-store.ts";
import { guardContractStore } from "./guarded-stores.ts";

const DAY_MS = 86_400_000;

/** Returns the place of a configuration's records. */
export function storePlace(
  { store }: Pick<ActivitySettings, "store">,
  dataDir: string,
): StorePlace {
  return store === undefined ? { dataDir } : { url: store };
}

/** Returns the same for people: the directory, or the database without user and password. */
export function shownStorePlace(
  { store }: Pick<ActivitySettings, "store">,
  dataDir: string,
): string {
  return store === undefined ? dataDir : databaseOf(store);
}

/** Returns how long records are kept. */
export function retentionOf(settings: ActivitySettings): Retention {
  const { retentionDays, maxRecords, maxBytes } = settings;
  return { maxAgeMs: retentionDays * DAY_MS, maxRecords, maxBytes };
}

const LOST =
  "the activity store has lost records that it had kept, as after a failover to a standby that was behind; " +
  "touchstone activity verify shows the gap";

/** Receives the kept records, right after the append. Neither waits nor throws. */
export type RecordTap = (records: readonly ActivityRecord[]) => void;

export interface OpenStoreOptions {
  /** Which appends share a write to a journal. Default: `callback`. */
  readonly within?: "callback" | "turn";
  readonly tap?: RecordTap | undefined;
}

/**
 * Opens a configuration's records. Loads PostgreSQL's client only if it is needed.
 * @param log reports records that the store has lost
 * @throws ActivityError if they cannot be written
 */
export async function openStore(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
  { within = "callback", tap }: OpenStoreOptions = {},
): Promise<ActivityStore> {
  const store = await openUntapped(settings, dataDir, log, within);
  if (tap === undefined) return store;
  return {
    ...store,
    append: async (entries) => {
      const records = await store.append(entries);
      tap(records);
      return records;
    },
  };
}

function bodySettings(kept: "failed" | "all", maxBytes: number): BodySettings {
  if (kept === "all") return { maxBytes };
  return { maxBytes: Math.min(maxBytes, MAX_FAILED_ARGUMENTS), ofFailed: true };
}

async function openUntapped(
  { store, sync, bodies, bodyMaxBytes }: ActivitySettings,
  dataDir: string,
  log: Logger,
  within: "callback" | "turn",
): Promise<ActivityStore> {
  const kept = bodies === false ? {} : { bodies: bodySettings(bodies, bodyMaxBytes) };
  if (store === undefined) {
    const opened = await openActivityStore({ dataDir, sync, within, ...kept });
    warnOfOpenDirectory(dataDir, log);
    return opened;
  }
  const { openPostgresStore } = await import("@touchstone/records/postgres");
  const lost = (records: number): void => log.error(LOST, { records });
  return openPostgresStore({ url: store, lost, ...kept });
}

/**
 * Warns of a data directory in which every user of the machine may add, replace and remove files. The mode stays,
 * because it may be intended, as for a volume that several users mount.
 */
function warnOfOpenDirectory(dataDir: string, log: Logger): void {
  // Windows does not have such modes.
  if (process.platform === "win32") return;
  const { mode } = statSync(dataDir);
  if ((mode & 0o002) === 0) return;
  const shown = (mode & 0o7777).toString(8).padStart(4, "0");
  log.warn(
    `every user may change the records in ${dataDir} (mode ${shown}); run chmod o-w on it, or choose another data directory`,
  );
}

/**
 * Opens the records of one server. If `onWriteFailure` is `continue`, losses are logged and block nothing.
 * @throws ActivityError if they cannot be written
 */
export async function openRecords(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
  tap?: RecordTap,
): Promise<ActivityStore> {
  const store = await openStore(settings, dataDir, log, { tap });
  if (settings.onWriteFailure === "refuse") return store;
  const goingOn = new DegradedStore(log);
  return {
    ...store,
    contracts: guardContractStore(
      (work) => goingOn.work(work),
      () => store.contracts,
    ),
    append: (entries) =>
      goingOn.append(entries.length, async () => {
        const records = await store.append(entries);
        goingOn.over();
        return records;
      }),
    async close() {
      goingOn.close();
      await store.close();
    },
  };
}
