import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf, lateImport } from "@touchstone/util";
import type { BodySettings } from "./build.ts";
import type { ActivityEraser } from "./erase/eraser.ts";
import { ActivityError, CHOOSE_DATA_DIR } from "./errors.ts";
import { nextId } from "./ids.ts";
import { createBacklog } from "./journal/backlog.ts";
import { createFolder } from "./journal/fold.ts";
import { createJournalWriter } from "./journal/writer.ts";
import { lazyReader } from "./lazy-reader.ts";
import { openReadDatabase } from "./read-sqlite.ts";
import type { ActivityLog } from "./record.ts";
import { hasJournals } from "./segments.ts";
import type { ReadDatabase } from "./sql/database.ts";
import { keptStores } from "./sql/kept-stores.ts";
import { type Connection, connect, fileIdentity, retryWhileBusy } from "./sqlite/connection.ts";
import { createDatabase } from "./sqlite/database.ts";
import {
  databaseRemovedError,
  directoryFault,
  missingFault,
  openFault,
  readFault,
  writeFault,
} from "./sqlite/faults.ts";
import { layoutOf, migrate } from "./sqlite/migrate.ts";
import { openReadOnly } from "./sqlite/read-only.ts";
import type { ActivityPruner, ActivityReader, ActivityStore, OpenPins } from "./store.ts";

const pinReader = lateImport(() => import("./sql/approvals/reader.ts"));
const reader = lateImport(() => import("./sql/reader.ts"));
const prunerParts = lateImport(() => import("./sql/pruner.ts"));
const eraserParts = lateImport(() =>
  Promise.all([import("./erase/eraser.ts"), import("./erase/finish-sqlite.ts")]),
);

/** Called with the reason if some records are not visible. */
type OnUnfolded = (fault: ActivityError) => void;

/** The file in the data directory that holds the records. */
export const DATABASE_FILE = "activity.db";

export interface OpenActivityStoreOptions {
  /** Created, for its owner only (mode 0700), if it does not exist. */
  readonly dataDir: string;
  /**
   * `normal`: appended data survives the death of the process, including `kill -9`. `full`: it also survives a loss
   * of power, at the cost of a disk flush per group of appends.
   */
  readonly sync: "normal" | "full";
  /** If absent, arguments and results are not stored, whatever the entries contain. */
  readonly bodies?: BodySettings;
  /** If false, each append has its own write; true by default. */
  readonly groupCommit?: boolean;
  /** Which appends share a write: those of one callback (the default), or of one turn of the event loop. */
  readonly within?: "callback" | "turn";
  /** The clock; the system's by default. */
  readonly now?: () => Date;
}

/**
 * Opens the activity records in a data directory for writing and reading, and starts a chain for this process. Any
 * number of processes may open one directory, even one that does not exist yet. The database is a SQLite file in WAL
 * mode, for its owner only (mode 0600). Appends go to a journal next to it, which is folded into the database when it
 * is long enough, and before every read.
 *
 * @throws ActivityError `DATA_DIR_UNWRITABLE`, `DATABASE_UNREADABLE`, `DATABASE_NEWER`, `DATABASE_BUSY` (after 10 s)
 */
export async function openActivityStore(options: OpenActivityStoreOptions): Promise<ActivityStore> {
  const { dataDir, sync, bodies, groupCommit, within, now = () => new Date() } = options;
  const path = createFile(resolve(dataDir));
  const file = fileIdentity(path);
  const db = connect(path, "write");
  try {
    await prepare(db, path, sync);
    const chain = nextId(now());
    const backlog = createBacklog(path, chain);
    const written = { path, chain, sync, bodies, backlog, group: groupCommit, within };
    const parts = { ...written, now: options.now };
    const writer = createJournalWriter(parts);
    const reader = sqliteReader(path);
    const database = createDatabase(db, path);
    let folding: ReadDatabase | undefined;
    const reading = (): ReadDatabase => {
      folding ??= openReadDatabase(path);
      return folding;
    };
    return {
      ...reader,
      chain,
      ...keptStores({ db: database, now, log: { reading, append: writer.append } }),
      append: writer.append,
      unreadable: () => (fileIdentity(path) === file ? undefined : databaseRemovedError(path)),
      async close() {
        await writer.close();
        await backlog.close();
        await reader.close();
        await folding?.close();
        await database.close();
      },
    };
  } catch (error) {
    db.close();
    throw openFault(error, path);
  }
}

function sqliteReader(path: string, onUnfolded?: OnUnfolded): ActivityReader {
  return lazyReader(async () => (await reader()).createReader(openReadDatabase(path, onUnfolded)));
}

function createFile(dataDir: string): string {
  const path = join(dataDir, DATABASE_FILE);
  try {
    makeDirectory(dataDir);
    refuseStrange(path);
    // SQLite would create the file with the default mode; its -wal and -shm files copy this file's mode.
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw error instanceof ActivityError ? error : directoryFault(error, dataDir);
  }
  return path;
}

/**
 * Node's own recursive mkdir never returns if the file system reports ENOENT for a directory whose parent exists, as
 * /proc does.
 */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return;
  }
  const parent = dirname(path);
  if (parent !== path) {
    makeDirectory(parent);
  }
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw error;
    }
  }
}

async function prepare(db: Connection, path: string, sync: "normal" | "full"): Promise<void> {
  // Refuses a database of a newer release before changing anything in it.
  await retryWhileBusy(path, () => layoutOf(db, path, "write"));
  // The switch needs exclusive access to the database and returns SQLITE_BUSY at once if other processes start at the
  // same time.
  await retryWhileBusy(path, () => db.exec("PRAGMA journal_mode = WAL"));
  db.exec(`PRAGMA synchronous = ${sync === "full" ? "FULL" : "NORMAL"}`);
  await retryWhileBusy(path, () => migrate(db, path));
}

/**
 * Opens the activity records in a data directory for reading only. Creates nothing, but first updates the tables of
 * an earlier release.
 *
 * @param options.onUnfolded called once if the contents of journals are not visible: with `WRITE_FAILED` if the disk
 *   is full, with `DATA_DIR_UNWRITABLE` if this user may not move them. If it throws, the read is refused. Without
 *   it, a read is refused on a full disk, and the other case is not reported
 * @returns `undefined` if nothing has been recorded in that directory yet
 * @throws ActivityError `DATA_DIR_UNREADABLE`, `DATABASE_UNREADABLE`, `DATABASE_NEWER`, `DATABASE_BUSY` (after 10 s)
 */
export async function openActivityReader(options: {
  readonly dataDir: string;
  readonly onUnfolded?: OnUnfolded | undefined;
}): Promise<ActivityReader | undefined> {
  const dataDir = resolve(options.dataDir);
  const path = join(dataDir, DATABASE_FILE);
  if (!hasDatabase(dataDir, path)) {
    if (hasJournals(path)) throw missingFault(path);
    return undefined;
  }
  try {
    return (await isReady(path)) ? sqliteReader(path, options.onUnfolded) : undefined;
  } catch (error) {
    throw readFault(error, path);
  }
}

/**
 * Opens the approvals in a data directory for viewing: creates and changes no file there.
 *
 * @returns `undefined` if that directory has no database, or one without tables
 * @throws ActivityError as {@link openActivityReader} does for an existing database; `DATABASE_UNREADABLE` also for
 *   tables of an earlier release
 */
export async function openPins(dataDir: string): Promise<OpenPins | undefined> {
  const folder = resolve(dataDir);
  const path = join(folder, DATABASE_FILE);
  if (!hasDatabase(folder, path)) return undefined;
  const database = await openReadOnly(path);
  if (database === undefined) return undefined;
  const { createPinReader } = await pinReader();
  return { ...createPinReader(database), close: () => database.close() };
}

/** Returns whether there are tables; updates those of an earlier release first. */
async function isReady(path: string): Promise<boolean> {
  const { isMade, isBehind } = await withConnection(path, "read", (db) =>
    layoutOf(db, path, "read"),
  );
  // The process that creates it has not finished.
  if (!isMade) return false;
  if (isBehind) await withConnection(path, "write", (db) => migrate(db, path));
  return true;
}

async function withConnection<T>(
  path: string,
  access: "read" | "write",
  step: (db: Connection) => T,
): Promise<T> {
  const db = connect(path, access);
  try {
    return await retryWhileBusy(path, () => step(db));
  } finally {
    db.close();
  }
}

/**
 * Opens the pruner, which removes old records and unused lists of tools.
 *
 * @throws ActivityError if the database cannot be opened
 */
export async function openPruner(
  path: string,
  now: () => Date = () => new Date(),
): Promise<ActivityPruner> {
  const { createPruner } = await prunerParts();
  const db = connect(path, "write");
  try {
    // Rows that reappear after a loss of power are removed again; a flush for each step would delay others.
    db.exec("PRAGMA synchronous = NORMAL");
    db.prepare("SELECT 1 FROM activity LIMIT 1").all([]);
  } catch (error) {
    db.close();
    throw readFault(error, path);
  }
  const folder = createFolder(path);
  // Most prunings have nothing to record.
  let log: ActivityLog | undefined;
  const append: ActivityLog["append"] = (entries) => {
    log ??= sideLog(path, now);
    return log.append(entries);
  };
  const before = (): Promise<unknown> => folder.fold();
  const pruner = createPruner(createDatabase(db, path), now, { before, append });
  return {
    async prune(retention, options) {
      try {
        return await pruner.prune(retention, options);
      } catch (error) {
        throw writeFault(error, path);
      }
    },
    rollUp: (options) => pruner.rollUp(options),
    async close() {
      await log?.close();
      folder.close();
      await pruner.close();
    },
  };
}

/**
 * Opens the eraser, which erases one person's data.
 *
 * @throws ActivityError if the database cannot be opened
 */
export async function openEraser(
  path: string,
  now: () => Date = () => new Date(),
): Promise<ActivityEraser> {
  const [{ createEraser }, { finishErasure }] = await eraserParts();
  const db = connect(path, "write");
  try {
    // SQLite overwrites what is deleted with zeros (https://www.sqlite.org/pragma.html#pragma_secure_delete).
    db.exec("PRAGMA secure_delete = ON");
    db.prepare("SELECT 1 FROM activity LIMIT 1").all([]);
  } catch (error) {
    db.close();
    throw readFault(error, path);
  }
  const folder = createFolder(path);
  const log = sideLog(path, now);
  const database = createDatabase(db, path);
  const parts = {
    ...{ db: database, now, before: () => folder.fold(), append: log.append },
    finish: (isErased: (record: unknown) => boolean) => finishErasure(db, database, isErased),
  };
  return createEraser(parts, async () => {
    await log.close();
    folder.close();
    await database.close();
  });
}

/** Returns a log with a separate chain for records of pruning or erasing. */
function sideLog(path: string, now: () => Date): ActivityLog {
  const chain = nextId(now());
  const backlog = createBacklog(path, chain);
  const writer = createJournalWriter({ path, chain, sync: "full", now, backlog });
  return {
    append: writer.append,
    async close() {
      await writer.close();
      await backlog.close();
    },
  };
}

function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isRefused = ["EACCES", "EPERM"].includes(codeOf(error));
  return isRefused ? "this user may not look into it" : error.message;
}

/** @throws ActivityError if a database file is something on which opening would block, such as a pipe */
function refuseStrange(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || stats.isFile() || stats.isDirectory()) continue;
    throw new ActivityError(
      "DATABASE_UNREADABLE",
      `${file} is not a regular file. Remove it, and restore activity* from a backup. ${CHOOSE_DATA_DIR}`,
    );
  }
}

function hasDatabase(dataDir: string, path: string): boolean {
  try {
    const stats = statSync(dataDir, { throwIfNoEntry: false });
    if (stats === undefined) {
      return false;
    }
    if (!stats.isDirectory()) {
      throw new Error("it is not a directory");
    }
    refuseStrange(path);
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof ActivityError) throw error;
    throw new ActivityError(
      "DATA_DIR_UNREADABLE",
      `The data directory ${dataDir} cannot be read: ${whyUnreadable(error)}. ${CHOOSE_DATA_DIR}`,
      { cause: error },
    );
  }
}
