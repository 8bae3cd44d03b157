import { messageOf } from "@touchstone/core/plain";
import { codeOf } from "@touchstone/util";
import { ActivityError, CHOOSE_DATA_DIR } from "../errors.ts";

/** The primary code in the low byte of an extended code (https://www.sqlite.org/rescode.html). */
const PRIMARY: ReadonlyMap<number, string> = new Map([
  [5, "SQLITE_BUSY"],
  [6, "SQLITE_LOCKED"],
  [8, "SQLITE_READONLY"],
  [10, "SQLITE_IOERR"],
  [11, "SQLITE_CORRUPT"],
  [13, "SQLITE_FULL"],
  [14, "SQLITE_CANTOPEN"],
  [19, "SQLITE_CONSTRAINT"],
  [20, "SQLITE_MISMATCH"],
  [26, "SQLITE_NOTADB"],
]);
const UNKNOWN = /^UNKNOWN_SQLITE_ERROR_(\d+)$/;

/**
 * Returns the code of an error of SQLite or of the file system, like {@link codeOf}. libsql lacks SQLite's later
 * extended codes, such as those for a damaged index and for a value of the wrong type: these become their primary
 * code.
 */
export function sqliteCode(error: unknown): string {
  const code = codeOf(error);
  const [, extended] = UNKNOWN.exec(code) ?? [];
  return PRIMARY.get(Number(extended) & 0xff) ?? code;
}

function errorText(error: unknown): string {
  const text = messageOf(error);
  // In this case, libsql only reports SQLite's number (https://www.sqlite.org/rescode.html).
  return text.startsWith("ConnectionFailed(") ? "it is missing, or cannot be opened" : text;
}

/** Returns whether this process, or the machine, has reached its limit of open files. */
function isOutOfFiles(error: unknown): boolean {
  return /^(EMFILE|ENFILE)/.test(sqliteCode(error));
}

const CLOSE_FILES = "Too many files are open: raise the limit (ulimit -n).";

/** Returns whether another process holds the required lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

/** Returns whether there is no space left. */
export function isFull(error: unknown): boolean {
  return /^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(sqliteCode(error));
}

/** Returns whether the file by which processes share the database could not be created. */
export function isUnshareable(error: unknown): boolean {
  return /^SQLITE_(IOERR_SHM|FULL)/.test(sqliteCode(error));
}

/** Returns whether a step failed because the disk cannot be written anymore. */
export function isUnwritable(error: unknown): boolean {
  const cause = error instanceof ActivityError ? error.cause : error;
  return isFull(cause) || isUnshareable(cause) || sqliteCode(cause) === "SQLITE_IOERR_WRITE";
}

/** Returns whether a step failed because this user may read the files but not write them. */
export function isReadOnly(error: unknown): boolean {
  const cause = error instanceof ActivityError ? error.cause : error;
  return /^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/.test(sqliteCode(cause));
}

/** Returns an error that explains a failed `mkdir` or `open` in the data directory to its owner. */
export function directoryFault(error: unknown, dataDir: string): ActivityError {
  const code = sqliteCode(error);
  const problem =
    code === "EEXIST" || code === "ENOTDIR"
      ? "is a file, or is inside one, instead of a directory"
      : code === "EISDIR"
        ? "holds a directory named activity.db where the database file belongs"
        : code === "ENOSPC" || code === "EDQUOT"
          ? "cannot be written because the disk is full"
          : `cannot be written (${code || errorText(error)})`;
  return new ActivityError(
    "DATA_DIR_UNWRITABLE",
    `The data directory ${dataDir} ${problem}. ${CHOOSE_DATA_DIR}`,
    { cause: error },
  );
}

/** Returns what is wrong with the file itself; undefined if nothing is known. */
function damageOf(error: unknown): string | undefined {
  const code = sqliteCode(error);
  if (code.startsWith("SQLITE_NOTADB")) return "is not a SQLite database";
  return code.startsWith("SQLITE_CORRUPT") || DAMAGE.test(errorText(error))
    ? "is damaged"
    : undefined;
}

/** SQLite's messages without a code, for damaged text and missing tables. */
const DAMAGE = /^JSON cannot hold BLOB|^no such (table|column|index)\b/;

/** SQLite would apply the old write-ahead log to a new file, and the old journals do not start at its first record. */
const START_ANEW =
  "Stop what writes there; then move activity* out of its directory to start over, or restore them " +
  "from a backup.";

const CHECK_PERMISSIONS = "Check the permissions of the file and of its directory.";

/** Returns an error that explains a failed open, migration or query to the reader of the database. */
export function readFault(error: unknown, path: string): ActivityError {
  if (error instanceof ActivityError) {
    return error;
  }
  const problem = damageOf(error);
  if (problem !== undefined) {
    return new ActivityError(
      "DATABASE_UNREADABLE",
      `The activity database ${path} ${problem}. ${START_ANEW} ${CHOOSE_DATA_DIR}`,
      { cause: error },
    );
  }
  if (isCut(error)) {
    return new ActivityError(
      "DATABASE_UNREADABLE",
      `The activity database ${path} is cut off, or was removed while a process uses it. Stop what ` +
        "writes there, and start again; if that does not help, restore activity* from a backup.",
      { cause: error },
    );
  }
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${path} cannot be read: ${errorText(error)}. ` +
      `${isOutOfFiles(error) ? CLOSE_FILES : `${CHECK_PERMISSIONS} ${CHOOSE_DATA_DIR}`}`,
    { cause: error },
  );
}

/** Errors of locks, and of memory that processes share (https://www.sqlite.org/wal.html, section 1). */
const SHARING = /^SQLITE_IOERR_(SHM|LOCK|UNLOCK|RDLOCK|CHECKRESERVEDLOCK)/;
const LOCAL_DISK =
  "SQLite needs locks and shared memory there, which drives over a network and some mounts lack.";

/** Returns an error that explains why the database could not be opened for writing. */
export function openFault(error: unknown, path: string): ActivityError {
  if (error instanceof ActivityError || isCut(error) || !isWriteRefusal(sqliteCode(error))) {
    return readFault(error, path);
  }
  const why = SHARING.test(sqliteCode(error)) ? ` ${LOCAL_DISK}` : "";
  return new ActivityError(
    "DATA_DIR_UNWRITABLE",
    `The activity database ${path} cannot be written: ${errorText(error)}.${why} ${CHOOSE_DATA_DIR}`,
    { cause: error },
  );
}

/** Returns whether the file is shorter than the other processes assume. */
function isCut(error: unknown): boolean {
  return sqliteCode(error) === "SQLITE_IOERR_SHORT_READ";
}

function isWriteRefusal(code: string): boolean {
  return /^SQLITE_(READONLY|CANTOPEN|PERM|FULL|IOERR)/.test(code);
}

/** Returns an error that explains to a reader that journals cannot be folded. */
export function unfoldedJournalError(error: unknown, path: string): ActivityError {
  return new ActivityError(
    "WRITE_FAILED",
    `The newest records of ${path} are not seen: they are in a journal beside it, and cannot be moved ` +
      `into it (${errorText(error)}). Free space on that disk, and try again.`,
    { cause: error },
  );
}

/** Returns an error that explains to a reader that this user may not fold journals. */
export function unfoldableFault(error: unknown, path: string): ActivityError {
  return new ActivityError(
    "DATA_DIR_UNWRITABLE",
    `The newest records of ${path} may be missing: they are in a journal beside it until the process that ` +
      `writes it moves them, and this user may not. Try again as the user that it runs as.`,
    { cause: error },
  );
}

/** Returns an error for a fold if the database was replaced. */
export function replacedFault(path: string): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${path} was removed or replaced while journals were moved into it; they ` +
      "stay beside it. Ask again.",
  );
}

/** Returns an error for journals without a database. */
export function missingFault(path: string): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${path} is missing, and there are journals beside it. Stop what writes there; ` +
      "then restore it from a backup, or start touchstone wrap or serve, which makes a new one.",
  );
}

/** Returns an error for a database that was removed or replaced while records are written. */
export function databaseRemovedError(path: string): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${path} was removed or replaced. New records go to journals beside it, and cannot be ` +
      "read until there is a database again. Put it back with its -wal, or restart touchstone, which " +
      "makes a new one if there is none.",
  );
}

/** Returns an error that explains a failed append. */
export function writeFault(error: unknown, path: string): ActivityError {
  if (error instanceof ActivityError) {
    return error;
  }
  const damage = damageOf(error);
  if (damage !== undefined) {
    const text = `Activity could not be recorded: the database ${path} ${damage}. ${START_ANEW}`;
    return new ActivityError("WRITE_FAILED", text, { cause: error });
  }
  const remedy = isFull(error)
    ? "Free space on that disk, or choose another data directory with --data-dir or TOUCHSTONE_DATA_DIR."
    : sqliteCode(error) === "ENOENT"
      ? "Its directory was removed: restore it, or restart."
      : isOutOfFiles(error)
        ? CLOSE_FILES
        : CHOOSE_DATA_DIR;
  return new ActivityError(
    "WRITE_FAILED",
    `Activity could not be recorded in ${path}: ${errorText(error)}. ${remedy}`,
    { cause: error },
  );
}
