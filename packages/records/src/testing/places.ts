import { join } from "node:path";
import Database from "libsql";
import pg from "pg";
import { onTestFinished } from "vitest";
import type { ActivityEraser } from "../erase/eraser.ts";
import { openActivityReader, openActivityStore, openEraser, openPruner } from "../open-sqlite.ts";
import {
  openPostgresEraser,
  openPostgresPruner,
  openPostgresReader,
  openPostgresStore,
} from "../postgres/open.ts";
import type { ActivityPruner, ActivityReader, ActivityStore, StorePlace } from "../store.ts";
import { useDatabases } from "./databases.ts";
import { tempDir } from "./temp-dir.ts";

/** A separate store of records for a test. */
export interface StoreUnderTest {
  readonly kind: "SQLite" | "PostgreSQL";
  readonly at: StorePlace;
  store(options?: { now?: () => Date; bodies?: { maxBytes: number } }): Promise<ActivityStore>;
  reader(): Promise<ActivityReader>;
  pruner(now?: () => Date): Promise<ActivityPruner>;
  eraser(): Promise<ActivityEraser>;
  /** Runs a statement on tables that both kinds of stores have. */
  query(sql: string): Promise<readonly unknown[]>;
  /** Makes the stored position of telemetry unreadable. */
  damageBookmark(): Promise<void>;
}

type Skip = (reason: string) => never;

/** Makes stores of each kind, for the tests of a file. */
export function usePlaces(): readonly (readonly [
  string,
  (skip: Skip) => Promise<StoreUnderTest>,
])[] {
  const database = useDatabases();
  return [
    ["SQLite", async () => sqlitePlace(tempDir())],
    ["PostgreSQL", async (skip) => postgresPlace(await database(skip))],
  ];
}

/** Closes it when the running test ends. */
export function closing<T extends { close(): Promise<void> }>(opened: T): T {
  onTestFinished(() => opened.close());
  return opened;
}

function sqlitePlace(dataDir: string): StoreUnderTest {
  const path = join(dataDir, "activity.db");
  return {
    kind: "SQLite",
    at: { dataDir },
    store: (options) => openActivityStore({ dataDir, sync: "normal", ...options }),
    async reader() {
      const reader = await openActivityReader({ dataDir });
      if (reader === undefined) throw new Error("nothing recorded");
      return reader;
    },
    pruner: async (now) => openPruner(path, now),
    eraser: () => openEraser(path),
    async query(sql) {
      const db = new Database(path);
      const rows = db.prepare(sql).all([]);
      db.close();
      return rows;
    },
    async damageBookmark() {
      const db = new Database(join(dataDir, "telemetry.db"));
      db.exec("UPDATE bookmarks SET position = CAST(x'ff' || position AS TEXT)");
      db.close();
    },
  };
}

function postgresPlace(url: string): StoreUnderTest {
  const query = async (sql: string): Promise<readonly unknown[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query("SET search_path TO touchstone");
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    kind: "PostgreSQL",
    at: { url },
    store: (options) => openPostgresStore({ url, ...options }),
    reader: () => openPostgresReader({ url }),
    pruner: (now) => openPostgresPruner({ url, ...(now ? { now } : {}) }),
    eraser: () => openPostgresEraser({ url }),
    query,
    async damageBookmark() {
      await query("UPDATE bookmarks SET position = 'x' || position");
    },
  };
}
