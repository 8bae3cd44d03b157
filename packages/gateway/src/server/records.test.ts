import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fillDisk } from "../../../records/src/testing/full-disk.ts";
import { createLogger } from "../../../util/src/log.ts";
import { DEFAULT_ACTIVITY } from "../settings/activity.ts";
import { openRecords, shownStorePlace } from "./records.ts";

let dataDir: string;
const lines: string[] = [];
const log = createLogger((line) => lines.push(line), "debug");
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "touchstone-records-"));
  lines.length = 0;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it("shows where records are stored, without a password", () => {
  expect(shownStorePlace({}, "/var/lib/touchstone")).toBe("/var/lib/touchstone");
  const store = "postgres://app:hunter2@db:5433/records?sslmode=require";
  expect(shownStorePlace({ store }, "/var/lib/touchstone")).toBe("postgresql://db:5433/records");
});

const ENTRY = { type: "tool_call", source: "gateway", tool: "a" } as const;

it("rejects appends that cannot be stored, by default", async () => {
  const records = await openRecords(DEFAULT_ACTIVITY, dataDir, log);
  expect(await records.append([ENTRY])).toHaveLength(1);
  const mend = fillDisk();
  await expect(records.append([ENTRY])).rejects.toMatchObject({ code: "WRITE_FAILED" });
  mend();
  await records.close();
  expect(lines).toEqual([]);
});

it("continues and logs the loss if so configured", async () => {
  const settings = { ...DEFAULT_ACTIVITY, onWriteFailure: "continue" } as const;
  const records = await openRecords(settings, dataDir, log);
  const mend = fillDisk();
  expect(await records.append([ENTRY, ENTRY])).toEqual([]);
  mend();
  await records.close();
  expect(lines.join("")).toMatch(/^touchstone error: records are lost.* records=2 reason=/);
});
