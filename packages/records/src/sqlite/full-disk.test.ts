import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { fillDisk } from "../testing/full-disk.ts";
import { tempDir } from "../testing/temp-dir.ts";

it("reads a closed database while the disk is full", async () => {
  const made = tempDir();
  const store = await openActivityStore({ dataDir: made, sync: "full" });
  await store.append([CALL]);
  await store.close();
  const path = join(made, "activity.db");
  const db = new Database(path);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  // Uses a new directory, because this process may keep the first database open until it ends.
  const dataDir = tempDir();
  copyFileSync(path, join(dataDir, "activity.db"));
  fillDisk();
  const reader = await openActivityReader({ dataDir });
  expect(await reader?.list(filter())).toMatchObject({ total: 1 });
  await reader?.close();
});

it("reads folded records while the disk is full, and reports that others may be missing", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "full" });
  await store.append([CALL]);
  expect((await store.list(filter())).total).toBe(1);
  await store.append([CALL]);
  const mend = fillDisk();
  const told: string[] = [];
  const onUnfolded = ({ code, message }: { code: string; message: string }): void => {
    told.push(`${code} ${message}`);
  };
  const partial = await openActivityReader({ dataDir, onUnfolded });
  for (let n = 0; n < 2; n += 1) expect(await partial?.list(filter())).toMatchObject({ total: 1 });
  expect(told).toEqual([expect.stringMatching(/^WRITE_FAILED The newest records .*Free space/)]);
  const whole = await openActivityReader({ dataDir });
  await expect(whole?.list(filter())).rejects.toThrow(/full|I\/O/);
  mend();
  for (const reader of [partial, whole]) {
    expect(await reader?.list(filter())).toMatchObject({ total: 2 });
    await reader?.close();
  }
  await store.close();
});
