/** What the low byte of an extended code stands for (https://www.sqlite.org/rescode.html). */
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
 * The code of an error of the file system or of SQLite; empty where it has none. Of SQLite's extended codes
 * libsql does not know those that came late, as the ones for a damaged index and for a value of the wrong
 * type: these become the code that they extend.
 */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") return "";
  const [, extended] = UNKNOWN.exec(code) ?? [];
  return PRIMARY.get(Number(extended) & 0xff) ?? code;
}
