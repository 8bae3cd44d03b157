import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { ActivityError } from "../errors.ts";
import { isBusy, isUnshareable, readFault } from "./faults.ts";

export type Connection = Database.Database;

/** How long an operation waits for other processes before it fails with `DATABASE_BUSY`. */
const BUSY_LIMIT_MS = 10_000;
// SQLite blocks the calling thread while it waits, so each wait is short; the remaining time is spent in the event
// loop.
const BUSY_SLICE_MS = 50;
const PAUSE_MS = 20;

/**
 * Opens an existing database file without creating one: libsql ignores its options `readonly` and `fileMustExist`,
 * but SQLite's own URI parameter `mode` works (https://www.sqlite.org/uri.html).
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
 * To read in WAL mode, SQLite creates a file that processes share. If the disk is full and no process has the
 * database open, it is read without that file.
 */
function openToRead(path: string): Connection {
  const db = open(path, "mode=ro");
  db.exec("PRAGMA query_only = 1");
  try {
    db.prepare("PRAGMA schema_version").get();
  } catch (error) {
    // The next operation reports any other fault.
    if (isUnshareable(error) && !hasLog(path)) {
      db.close();
      return open(path, "mode=ro&immutable=1");
    }
  }
  return db;
}

/**
 * Opens an existing database to read it without creating a file next to it: if no process shares it, opens it as
 * unchangeable (https://www.sqlite.org/uri.html, `immutable`).
 *
 * @throws ActivityError `DATABASE_UNREADABLE`, also if its write-ahead log is left over and no process has it open
 */
export function connectUntouched(path: string): Connection {
  try {
    const isShared = statSync(`${path}-shm`, { throwIfNoEntry: false }) !== undefined;
    if (!isShared && hasLog(path)) throw unclosedFault(path);
    const db = open(path, isShared ? "mode=ro" : "mode=ro&immutable=1");
    db.exec("PRAGMA query_only = 1");
    return db;
  } catch (error) {
    throw readFault(error, path);
  }
}

function unclosedFault(path: string): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${path} was copied or moved with a write-ahead log that has not been read yet. touchstone activity list reads it.`,
  );
}

/** Returns whether there are records that are only in the write-ahead log. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Repeats a step until no other process blocks it, and lets the event loop run in between.
 *
 * @param step runs again from its start after SQLITE_BUSY; it must leave no transaction open
 * @throws ActivityError `DATABASE_BUSY` after {@link BUSY_LIMIT_MS}; any other error unchanged
 */
export async function retryWhileBusy<T>(
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

/** Ends a transaction and undoes it. Never throws: the original error must be reported. */
export function rollback(db: Connection): void {
  // After a full disk or an I/O error SQLite has already rolled back.
  if (db.inTransaction) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // The original error is reported.
    }
  }
}

/**
 * Identifies the file at a path, to notice that it was replaced: a process that has the first file open would
 * continue with it, although no other process can open it anymore. Empty if there is none.
 */
export function fileIdentity(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}-${ino}`;
  } catch {
    return "";
  }
}
