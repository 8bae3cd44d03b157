import { join, resolve } from "node:path";
import type { ActivityEraser } from "./erase/eraser.ts";
import { ActivityError } from "./errors.ts";
import {
  DATABASE_FILE,
  openActivityReader,
  openActivityStore,
  openEraser,
  openPins,
  openPruner,
} from "./open-sqlite.ts";
import type {
  ActivityPruner,
  ActivityReader,
  ActivityStore,
  OpenPins,
  StorePlace,
} from "./store.ts";

/** How to read and prune the records of a place. */
export interface OpenPlace {
  /**
   * @param onUnfolded as in {@link openActivityReader}
   * @returns undefined if nothing has been recorded in the data directory yet
   * @throws ActivityError
   */
  existing(onUnfolded?: (fault: ActivityError) => void): Promise<ActivityReader | undefined>;
  /** @throws ActivityError; `DATA_DIR_UNREADABLE` if nothing has been recorded yet */
  reader(): Promise<ActivityReader>;
  /** @throws ActivityError */
  pruner(): Promise<ActivityPruner>;
  /** @throws ActivityError */
  eraser(): Promise<ActivityEraser>;
  /**
   * Opens the records for writing as well.
   * @throws ActivityError; `DATA_DIR_UNREADABLE` if nothing has been recorded yet
   */
  store(): Promise<ActivityStore>;
  /**
   * Opens the approvals for viewing. Creates and changes nothing there, not even tables.
   * @returns undefined if nothing has been recorded yet
   * @throws ActivityError; `DATABASE_UNREADABLE` for tables of an earlier release
   */
  pins(): Promise<OpenPins | undefined>;
}

/** Loads the code for the kind of store on first use: the PostgreSQL client only for PostgreSQL. */
export function openPlace(place: StorePlace): OpenPlace {
  if ("url" in place) {
    const { url } = place;
    const postgres = () => import("./postgres/open.ts");
    const reader = async (): Promise<ActivityReader> =>
      (await postgres()).openPostgresReader({ url });
    return {
      existing: () => reader(),
      reader,
      pruner: async () => (await postgres()).openPostgresPruner({ url }),
      eraser: async () => (await postgres()).openPostgresEraser({ url }),
      store: async () => (await postgres()).openPostgresStore({ url }),
      pins: async () => (await postgres()).openPostgresPins({ url }),
    };
  }
  const { dataDir } = place;
  const existing = (onUnfolded?: (fault: ActivityError) => void) =>
    openActivityReader({ dataDir, onUnfolded });
  const reader = async (): Promise<ActivityReader> => {
    const opened = await existing();
    if (opened !== undefined) return opened;
    throw new ActivityError(
      "DATA_DIR_UNREADABLE",
      `No activity has been recorded in ${dataDir} yet.`,
    );
  };
  return {
    existing,
    reader,
    async pruner() {
      // Brings an old database up to date. Returns false if there is none.
      await (await reader()).close();
      return openPruner(join(resolve(dataDir), DATABASE_FILE));
    },
    async eraser() {
      await (await reader()).close();
      return openEraser(join(resolve(dataDir), DATABASE_FILE));
    },
    async store() {
      await (await reader()).close();
      return openActivityStore({ dataDir, sync: "normal" });
    },
    pins: () => openPins(dataDir),
  };
}
