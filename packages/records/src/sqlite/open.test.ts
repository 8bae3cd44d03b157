import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import { LAYOUT_VERSION } from "../sql/migrations.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";

const posix = process.platform !== "win32";

async function seed(dataDir: string): Promise<void> {
  const store = await openActivityStore({ dataDir, sync: "full" });
  await store.append([{ ...CALL, tool: "t" }]);
  await store.close();
}

describe("openActivityStore", () => {
  it.runIf(posix)("creates a directory and files that only their owner can read", async () => {
    const dataDir = join(tempDir(), "a", "b");
    await seed(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir)).toContain("activity.db");
    for (const file of readdirSync(dataDir)) {
      expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
  });

  it("uses WAL mode, and records which builds may read and write the database", async () => {
    const dataDir = tempDir();
    await seed(dataDir);
    const db = new Database(join(dataDir, "activity.db"));
    expect(db.prepare("PRAGMA journal_mode").all([])).toEqual([{ journal_mode: "wal" }]);
    expect(db.prepare("PRAGMA user_version").all([])).toEqual([{ user_version: 7 }]);
    const stated = { version: 7, layout: LAYOUT_VERSION, reader: 7, writer: 7 };
    expect(db.prepare("SELECT * FROM version").all([])).toEqual([stated]);
    db.close();
  });

  it("keeps the records of an earlier process", async () => {
    const dataDir = tempDir();
    await seed(dataDir);
    await seed(dataDir);
    const store = await openActivityStore({ dataDir, sync: "normal" });
    expect((await store.list(filter())).total).toBe(2);
    expect((await store.chains()).map((chain) => chain.records)).toEqual([1, 1]);
    await store.close();
  });

  it.each(["dir", "dir/below"])("reports that the data directory %s is a file", async (name) => {
    const base = tempDir();
    writeFileSync(join(base, "dir"), "");
    await expect(
      openActivityStore({ dataDir: join(base, name), sync: "normal" }),
    ).rejects.toMatchObject({
      code: "DATA_DIR_UNWRITABLE",
      message: expect.stringMatching(/dir.* is a file.*--data-dir or TOUCHSTONE_DATA_DIR/),
    });
  });

  it.runIf(process.platform === "linux")(
    "reports that the data directory cannot be created",
    async () => {
      await expect(
        openActivityStore({ dataDir: "/proc/touchstone", sync: "normal" }),
      ).rejects.toMatchObject({
        code: "DATA_DIR_UNWRITABLE",
        message: expect.stringContaining("/proc/touchstone cannot be written (E"),
      });
    },
  );

  it("reports a directory in the place of the database", async () => {
    const dataDir = tempDir();
    mkdirSync(join(dataDir, "activity.db"));
    await expect(openActivityStore({ dataDir, sync: "normal" })).rejects.toMatchObject({
      code: "DATA_DIR_UNWRITABLE",
      message: expect.stringContaining("a directory named activity.db"),
    });
  });

  it.runIf(posix)("opens a directory behind a symbolic link, with odd characters", async () => {
    const dataDir = join(tempDir(), "a b#%3f?&ü");
    mkdirSync(dataDir);
    const link = join(tempDir(), "link");
    symlinkSync(dataDir, link);
    await seed(link);
    expect(existsSync(join(dataDir, "activity.db"))).toBe(true);
    expect((await (await openActivityReader({ dataDir }))?.list(filter()))?.total).toBe(1);
  });
});

describe.each([
  ["openActivityStore", (dataDir: string) => openActivityStore({ dataDir, sync: "normal" })],
  ["openActivityReader", (dataDir: string) => openActivityReader({ dataDir })],
])("%s", (_name, open) => {
  it("refuses a file that is not a database", async () => {
    const dataDir = tempDir();
    writeFileSync(join(dataDir, "activity.db"), "not a database\n".repeat(1000));
    await expect(open(dataDir)).rejects.toMatchObject({
      code: "DATABASE_UNREADABLE",
      message: expect.stringMatching(
        /activity\.db is not a SQLite database\. Stop what writes there/,
      ),
    });
  });

  it("refuses a database of a newer release and leaves it unchanged", async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const db = new Database(path);
    db.exec("PRAGMA user_version = 99");
    await expect(open(dataDir)).rejects.toMatchObject({
      code: "DATABASE_NEWER",
      message: expect.stringMatching(
        new RegExp(`schema version 99.*up to ${LAYOUT_VERSION}:.*Update touchstone`),
      ),
    });
    expect(db.prepare("PRAGMA journal_mode").all([])).toEqual([{ journal_mode: "delete" }]);
    db.close();
  });
});

describe("openActivityStore on a damaged database", () => {
  it("reports the damage", async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const db = new Database(path);
    db.exec("CREATE TABLE other (a)");
    db.exec("PRAGMA writable_schema = 1");
    db.exec("UPDATE sqlite_master SET sql = 'garbage'");
    db.close();
    await expect(openActivityStore({ dataDir, sync: "normal" })).rejects.toMatchObject({
      code: "DATABASE_UNREADABLE",
      message: expect.stringContaining("is damaged"),
    });
  });
});

describe("openActivityReader", () => {
  it("creates nothing if nothing was recorded", async () => {
    const base = tempDir();
    expect(await openActivityReader({ dataDir: join(base, "none") })).toBeUndefined();
    expect(await openActivityReader({ dataDir: base })).toBeUndefined();
    expect(readdirSync(base)).toEqual([]);
  });

  it("finds no records in a database that has no tables yet", async () => {
    const dataDir = tempDir();
    writeFileSync(join(dataDir, "activity.db"), "");
    expect(await openActivityReader({ dataDir })).toBeUndefined();
  });

  it("reports that the data directory is a file", async () => {
    const dataDir = join(tempDir(), "file");
    writeFileSync(dataDir, "");
    await expect(openActivityReader({ dataDir })).rejects.toMatchObject({
      code: "DATA_DIR_UNREADABLE",
      message: expect.stringContaining("it is not a directory"),
    });
  });

  it("reads between two writes of another process", async () => {
    const dataDir = tempDir();
    await seed(dataDir);
    const other = new Database(join(dataDir, "activity.db"));
    other.exec("BEGIN IMMEDIATE");
    other.exec("DELETE FROM activity");
    const reader = await openActivityReader({ dataDir });
    expect((await reader?.list(filter()))?.total).toBe(1);
    other.exec("COMMIT");
    expect((await reader?.list(filter()))?.total).toBe(0);
    await reader?.close();
    await expect(reader?.list(filter())).rejects.toMatchObject({ code: "CLOSED" });
    other.close();
  });
});
