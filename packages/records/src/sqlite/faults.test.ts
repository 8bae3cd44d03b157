import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { openPruner } from "../open-sqlite.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { isBusy, openFault, readFault, writeFault } from "./faults.ts";

it("tells the pruner what is wrong with the file", async () => {
  const path = join(tempDir(), "activity.db");
  await expect(openPruner(path)).rejects.toThrow(
    /cannot be read: it is missing, or cannot be opened\./,
  );
  const db = new Database(path);
  db.exec("CREATE TABLE other (a); PRAGMA writable_schema = 1");
  db.exec("UPDATE sqlite_master SET sql = 'garbage'");
  db.close();
  await expect(openPruner(path)).rejects.toThrow(
    expect.objectContaining({
      code: "DATABASE_UNREADABLE",
      message: expect.stringContaining("is damaged. Stop what writes there"),
    }),
  );
});

it.each(["EMFILE", "ENFILE"])("suggests a higher limit for %s, not a permission change", (code) => {
  const error = Object.assign(new Error(`${code}: too many open files`), { code });
  for (const { message } of [readFault(error, "a.db"), writeFault(error, "a.db")]) {
    expect(message).toMatch(/Too many files are open: raise the limit \(ulimit -n\)\.$/);
    expect(message).not.toMatch(/permission/);
  }
});

it.each([
  ["SQLITE_CORRUPT_INDEX", 779, "is damaged"],
  ["SQLITE_BUSY_TIMEOUT", 773, "cannot be read"],
])("recognizes %s, which libsql does not know", (_name, code, text) => {
  const error = Object.assign(new Error("?"), { code: `UNKNOWN_SQLITE_ERROR_${code}` });
  expect(readFault(error, "a.db").message).toContain(text);
  expect(isBusy(error)).toBe(code === 773);
});

it.each([
  ["SQLITE_IOERR_SHMMAP", true],
  ["SQLITE_IOERR_LOCK", true],
  ["SQLITE_IOERR_WRITE", false],
])("for %s mentions what the file system lacks: %s", (code, told) => {
  const error = Object.assign(new Error("disk I/O error"), { code });
  const { message } = openFault(error, "a.db");
  expect(message.includes("SQLite needs locks and shared memory there")).toBe(told);
  expect(message).toMatch(
    /^The activity database a\.db cannot be written: disk I\/O error\. .*--data-dir/,
  );
});

it("reports a missing table as damage", () => {
  const error = Object.assign(new Error("no such table: chains"), { code: "SQLITE_ERROR" });
  expect(readFault(error, "a.db").message).toMatch(/^The activity database a\.db is damaged\./);
});

it("reports damage on writes too", () => {
  const error = Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT_INDEX" });
  expect(writeFault(error, "a.db")).toMatchObject({
    code: "WRITE_FAILED",
    message: expect.stringMatching(/the database a\.db is damaged\. Stop what writes there/),
  });
});
