import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { ActivityError } from "../errors.ts";
import { isBusy, isUnshareable, readFault } from "./faults.ts";

export type Connection = Database.Database;

/** How long an operation waits for other processes before it fails with `DATABASE_BUSY`. */
const BUSY_LIMIT_MS = 10_000;
// SQLite waits on the calling thread, so each wait is short and the rest is spent in the event loop.
const BUSY_SLICE_MS = 50;
const PAUSE_MS = 20;

/**
 * Opens an existing database file. Nothing is created: libsql ignores its options `readonly` and
 * `fileMustExist`, SQLite's own URI parameter `mode` holds (https://www.sqlite.org/uri.html).
 *
 * @throws ActivityError `DATABASE_UNREADABLE`
 */
export function connect(path: string, access: "read" | "write"): Connection {
  try {
    return access === "write" ? open(path, "mode=rw") : openToRead(path);
  } catch (error) {
    throw readFault(error, path);
  }
}

function open(path: string, parameters: string): Connection {
  const db = new Database(`${pathToFileURL(path).href}?${parameters}`);
  db.exec(`PRAGMA busy_timeout = ${BUSY_SLICE_MS}`);
  return db;
}

/**
 * To read in WAL mode, SQLite makes a file for those who share the database. Where the disk is full, and
 * nobody has it open, the database is read without.
 */
function openToRead(path: string): Connection {
  const db = open(path, "mode=ro");
  db.exec("PRAGMA query_only = 1");
  try {
    db.prepare("PRAGMA schema_version").get();
  } catch (error) {
    // Any other fault is for the step that follows.
    if (isUnshareable(error) && !hasLog(path)) {
      db.close();
      return open(path, "mode=ro&immutable=1");
    }
  }
  return db;
}

/** Returns whether there are records that only stand in the write-ahead log. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Runs a step until no other process is in its way, and lets the event loop run in between.
 *
 * @param step runs again from its start after SQLITE_BUSY; it must leave no transaction open
 * @throws ActivityError `DATABASE_BUSY` after {@link BUSY_LIMIT_MS}; any other error as it came
 */
export async function whileBusy<T>(
  path: string,
  step: () => T,
  limitMs: number = BUSY_LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error)) {
        throw error;
      }
      if (performance.now() >= deadline) {
        throw busyFault(path, limitMs, error);
      }
    }
    await pause(PAUSE_MS * Math.random());
  }
}

function busyFault(path: string, limitMs: number, cause: unknown): ActivityError {
  return new ActivityError(
    "DATABASE_BUSY",
    `The activity database ${path} was locked by another process for ${limitMs / 1000} s. ` +
      "Find the process that holds it (a backup, a database browser, a stopped touchstone) and end it.",
    { cause },
  );
}

/**
 * Runs statements as one transaction.
 *
 * @param kind `IMMEDIATE` takes the write lock at once; `DEFERRED` gives reads one snapshot
 */
export function inTransaction<T>(db: Connection, kind: "IMMEDIATE" | "DEFERRED", body: () => T): T {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = body();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollback(db);
    throw error;
  }
}

/** Ends a transaction and undoes it. Never throws: what led here is to be told. */
export function rollback(db: Connection): void {
  // After a full disk or an I/O error SQLite has rolled back by itself.
  if (db.inTransaction) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // The error that led here is the one to report.
    }
  }
}

/**
 * Reports which file is at a path, so that one that was put instead of another is noticed: who has
 * the first one open goes on with it, though nobody finds it any more. Empty if there is none.
 */
export function fileAt(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}-${ino}`;
  } catch {
    return "";
  }
}
