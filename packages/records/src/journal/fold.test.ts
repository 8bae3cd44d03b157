import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { processStat } from "../../../util/src/process-stat.ts";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import type { ActivityRecord } from "../record.ts";
import { listSegments } from "../segments.ts";
import type { ActivityReader } from "../store.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { verifyActivity } from "../verify/verify.ts";
import { createFolder } from "./fold.ts";
import { createJournalWriter } from "./writer.ts";

const NO_BACKLOG = { add: () => {}, room: () => undefined };

/** A database, and a journal next to it that has not been folded. */
async function journalled(count: number, bodyBytes = 0) {
  const dataDir = tempDir();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  const path = join(dataDir, "activity.db");
  const writer = createJournalWriter({
    path,
    chain: "CHAIN",
    sync: "normal",
    now: () => new Date(),
    bodies: { maxBytes: bodyBytes },
    backlog: NO_BACKLOG,
  });
  const body = Buffer.from(JSON.stringify("x".repeat(bodyBytes)));
  const records: ActivityRecord[] = [];
  for (let n = 0; n < count; n += 1) {
    const entry = { ...CALL, tool: `t${n}`, ...(bodyBytes > 0 ? { result: body } : {}) };
    records.push(...(await writer.append([entry])));
  }
  return { dataDir, path, writer, records };
}

async function reader(dataDir: string): Promise<ActivityReader> {
  const opened = await openActivityReader({ dataDir });
  if (opened === undefined) throw new Error(`nothing was recorded in ${dataDir}`);
  return opened;
}

const journals = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.endsWith(".jsonl"));

describe("a journal", () => {
  it("is folded before a read, by whichever process reads", async () => {
    const { dataDir, writer, records } = await journalled(3);
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    records.push(...(await writer.append([CALL, CALL])));
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect(await activity.list(filter())).toMatchObject({ total: 5 });
    expect(await verifyActivity(activity)).toMatchObject({ ok: true, records: 5 });
    await activity.close();
    await writer.close();
  });

  it("is folded exactly once, however many processes do it at the same time", async () => {
    const { dataDir, path, records, writer } = await journalled(300);
    const folders = Array.from({ length: 8 }, () => createFolder(path));
    await Promise.all(folders.map((folder) => folder.fold()));
    for (const folder of folders) folder.close();
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect((await activity.summary({})).records).toBe(300);
    await activity.close();
    await writer.close();
  });

  it("is removed by its own process after close, and by no other process before", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "full" });
    await store.append([CALL]);
    const activity = await reader(dataDir);
    expect(await activity.list(filter())).toMatchObject({ total: 1 });
    expect(journals(dataDir)).toHaveLength(1);
    await store.close();
    expect(journals(dataDir)).toEqual([]);
    expect(await activity.list(filter())).toMatchObject({ total: 1 });
    await activity.close();
  });

  it("is removed by any process once its own is dead", async () => {
    const { dataDir, path, writer, records } = await journalled(2);
    await writer.close();
    const [segment] = listSegments(path);
    // No process has the largest possible process id.
    const orphan = join(
      dataDir,
      basename(segment?.path ?? "").replace(`.${process.pid}.`, ".4194304."),
    );
    renameSync(segment?.path ?? "", orphan);
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect(journals(dataDir)).toEqual([]);
    await activity.close();
  });

  it.runIf(existsSync("/proc/self/stat"))(
    "is removed by any process once its own is dead, even if the process id was reused",
    async () => {
      const { dataDir, path, writer, records } = await journalled(2);
      await writer.close();
      const [segment] = listSegments(path);
      const { path: own = "", start } = segment ?? {};
      expect(start).toBe(processStat(process.pid)?.start);
      renameSync(own, own.replace(`.${start}.`, `.${Number(start) - 1}.`));
      const activity = await reader(dataDir);
      expect(await activity.readChain("CHAIN")).toEqual(records);
      expect(journals(dataDir)).toEqual([]);
      await activity.close();
    },
  );

  it("of another machine stays until it has not changed for a week", async () => {
    const { dataDir, path, writer, records } = await journalled(2);
    await writer.close();
    const [segment] = listSegments(path);
    const { path: own = "", host = "" } = segment ?? {};
    const foreign = own.replace(`.${process.pid}.${host}.`, ".4194304.00000000.");
    renameSync(own, foreign);
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect(journals(dataDir)).toHaveLength(1);
    const eightDaysAgo = Date.now() / 1000 - 8 * 86_400;
    utimesSync(foreign, eightDaysAgo, eightDaysAgo);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect(journals(dataDir)).toEqual([]);
    await activity.close();
  });

  it("is split into segments, and folded segments are removed", long, async () => {
    const { dataDir, path, writer, records } = await journalled(200, 60_000);
    expect(journals(dataDir)).toHaveLength(3);
    const folder = createFolder(path);
    const left = await folder.fold({ maxBytes: 5_000_000 });
    expect(journals(dataDir)).toHaveLength(2);
    expect(left.get("CHAIN")).toBeGreaterThan(6_000_000);
    expect(await folder.fold()).toEqual(new Map([["CHAIN", 0]]));
    expect(journals(dataDir)).toHaveLength(1);
    folder.close();
    const activity = await reader(dataDir);
    expect((await activity.readChain("CHAIN")).map(({ hash }) => hash)).toEqual(
      records.map(({ hash }) => hash),
    );
    await activity.close();
    await writer.close();
  });
});

describe("a damaged journal", () => {
  it("loses only a batch that was not completely written", async () => {
    const { dataDir, path, records, writer } = await journalled(2);
    const [segment] = listSegments(path);
    appendFileSync(segment?.path ?? "", '2 [{"id":"01');
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    expect(await verifyActivity(activity)).toMatchObject({ ok: true });
    await activity.close();
    await writer.close();
  });

  it.each([
    ["no JSON", (line: string) => line.replace("[{", "[")],
    ["no batch", () => "\u0000\u0000\u0000\n"],
    ["no position", (line: string) => line.replace(/^1 /, "x ")],
    ["no record", () => '1 [{"id":"01","issues":null}]\n'],
    ["a record of other types", (line: string) => line.replace('"gateway"', '{"a":1}')],
    ["nothing at all", () => "1 [null]\n"],
    ["a text for a number", (line: string) => line.replace('"bytes_in":null', '"bytes_in":"x"')],
    ["a number for a count", (line: string) => line.replace('"bytes_in":null', '"bytes_in":1e300')],
    ["a moment that is none", (line: string) => line.replace(/"time":"\d{4}/, '"time":"20x6')],
    ["a number as the moment", (line: string) => line.replace(/"time":"[^"]*"/, '"time":7')],
  ])("shows up in the chain: %s", async (_what, damage) => {
    const { dataDir, path, records, writer } = await journalled(3);
    const [segment] = listSegments(path);
    const file = segment?.path ?? "";
    const lines = readFileSync(file, "utf8").split(/(?<=\n)/);
    writeFileSync(file, lines.map((line, i) => (i === 1 ? damage(line) : line)).join(""));
    const activity = await reader(dataDir);
    const kept = await activity.readChain("CHAIN");
    expect(kept).toEqual([records[0], records[2]]);
    const report = await verifyActivity(activity);
    expect(report.faults).toMatchObject([{ kind: "removed", position: 1 }]);
    await activity.close();
    await writer.close();
  });

  it("shows up in the chain if a record was changed before it was folded", async () => {
    const { dataDir, path, writer } = await journalled(3);
    const [segment] = listSegments(path);
    const file = segment?.path ?? "";
    writeFileSync(file, readFileSync(file, "utf8").replace('"t1"', '"t9"'));
    const activity = await reader(dataDir);
    const report = await verifyActivity(activity);
    expect(report.faults).toMatchObject([{ kind: "edited", position: 1 }]);
    await activity.close();
    await writer.close();
  });
});

describe("a locked database", () => {
  it("is reported to the reader, and leaves the journal in place", async () => {
    const { dataDir, path, records, writer } = await journalled(2);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const folder = createFolder(path);
    await expect(folder.fold({ limitMs: 0 })).rejects.toMatchObject({ code: "DATABASE_BUSY" });
    folder.close();
    other.exec("ROLLBACK");
    other.close();
    const activity = await reader(dataDir);
    expect(await activity.readChain("CHAIN")).toEqual(records);
    await activity.close();
    await writer.close();
  });
});
