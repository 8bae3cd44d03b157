import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { createFolder } from "../journal/fold.ts";
import { createJournalWriter } from "../journal/writer.ts";
import { DATABASE_FILE, openActivityReader, openActivityStore } from "../open-sqlite.ts";
import type { ActivityReader } from "../store.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { spawnAppender } from "../testing/processes.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "../verify/verify.ts";

const BODY = Buffer.from(JSON.stringify("x".repeat(60_000)));

async function made(): Promise<string> {
  const dataDir = tempDir();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  return dataDir;
}

function removeDatabase(dataDir: string): void {
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(join(dataDir, `${DATABASE_FILE}${end}`), { force: true });
  }
}

async function opened(dataDir: string): Promise<ActivityReader> {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("nothing was recorded");
  onTestFinished(() => reader.close());
  return reader;
}

const journals = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.endsWith(".jsonl"));

it("keeps a journal whose records are in a database that was removed", long, async () => {
  const dataDir = await made();
  const path = join(dataDir, DATABASE_FILE);
  const parts = { path, chain: "CHAIN", sync: "normal", now: () => new Date() } as const;
  const backlog = { add: () => {}, room: () => undefined };
  const writer = createJournalWriter({ ...parts, bodies: { maxBytes: 100_000 }, backlog });
  onTestFinished(() => writer.close());
  for (let n = 0; n < 200; n += 1) await writer.append([{ ...CALL, result: BODY }]);
  const folder = createFolder(path);
  onTestFinished(() => folder.close());
  await folder.fold({ maxBytes: 1 });
  expect(journals(dataDir)).toHaveLength(3);
  removeDatabase(dataDir);
  await expect(folder.fold()).rejects.toMatchObject({ code: "DATABASE_UNREADABLE" });
  expect(journals(dataDir)).toHaveLength(3);
  await expect(openActivityReader({ dataDir })).rejects.toMatchObject({
    code: "DATABASE_UNREADABLE",
    message: expect.stringMatching(/activity\.db is missing, and there are journals beside it/),
  });
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  await folder.fold();
  expect(journals(dataDir)).toHaveLength(1);
  expect(await (await opened(dataDir)).list(filter())).toMatchObject({ total: 200 });
});

it("reports a database removed during writes, and its chain reports the lost records", async () => {
  const dataDir = await made();
  const bodies = { maxBytes: 100_000 };
  const store = await openActivityStore({ dataDir, sync: "normal", bodies });
  for (let n = 0; n < 100; n += 1) await store.append([{ ...CALL, result: BODY }]);
  // The first of two journals was folded into it.
  expect(await (await opened(dataDir)).list(filter())).toMatchObject({ total: 100 });
  expect(journals(dataDir)).toHaveLength(1);
  expect(store.unreadable?.()).toBeUndefined();
  removeDatabase(dataDir);
  expect(store.unreadable?.()).toMatchObject({
    code: "DATABASE_UNREADABLE",
    message: expect.stringMatching(/activity\.db was removed/),
  });
  writeFileSync(join(dataDir, DATABASE_FILE), "");
  expect(store.unreadable?.()).toBeDefined();
  await store.append([CALL]);
  await store.close();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  const reader = await opened(dataDir);
  const { total } = await reader.list(filter());
  expect(total).toBeLessThan(101);
  expect(total).toBeGreaterThan(0);
  const { ok, faults } = await verifyActivity(reader);
  expect([ok, faults]).toMatchObject([
    false,
    [{ kind: "removed", position: 0, until: 101 - total }],
  ]);
});

it("reads the new database after a replacement", async () => {
  const dataDir = await made();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([CALL, CALL]);
  await store.close();
  const reader = await opened(dataDir);
  expect(await reader.list(filter())).toMatchObject({ total: 2 });
  removeDatabase(dataDir);
  await expect(reader.list(filter())).rejects.toMatchObject({ code: "DATABASE_UNREADABLE" });
  const next = await openActivityStore({ dataDir, sync: "normal" });
  await next.append([CALL]);
  expect(await reader.list(filter())).toMatchObject({ total: 1 });
  await next.close();
});

it("says what to do if a process still uses a removed database", async () => {
  const dataDir = tempDir();
  const appender = spawnAppender(dataDir, 1_000_000);
  await appender.ready;
  appender.start();
  await appender.acknowledged(1);
  rmSync(join(dataDir, DATABASE_FILE));
  const told = {
    code: "DATABASE_UNREADABLE",
    message: expect.stringMatching(/was removed while a process uses it\. Stop what/),
  };
  await expect(openActivityStore({ dataDir, sync: "normal" })).rejects.toMatchObject(told);
  await expect(openActivityReader({ dataDir })).rejects.toMatchObject(told);
  appender.process.kill("SIGKILL");
  await appender.ended;
});
