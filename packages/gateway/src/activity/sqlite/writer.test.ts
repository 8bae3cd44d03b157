import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { verifyChain } from "../chain.ts";
import type { ActivityEntry } from "../record.ts";
import { createReader } from "../sql/reader.ts";
import { CALL, filter, openTemp } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { connect, whileBusy } from "./connection.ts";
import { openActivityStore } from "./open.ts";
import { openReadDatabase } from "./read-database.ts";
import { createWriter } from "./writer.ts";

const HOSTILE = "\u0000\u001b[2J\ud800\u202e\u200b'\"\\\n%_😀;DROP TABLE activity--";

const FULL: ActivityEntry = {
  type: "policy_decision",
  source: "gateway",
  server: "weather",
  tool: HOSTILE,
  direction: "output",
  mode: "strict",
  decision: "blocked",
  status: "blocked",
  outcome: "guard",
  reason: `line one\nline two ${HOSTILE}`,
  issues: [
    {
      path: "",
      message: HOSTILE,
      rule: "guard",
      keyword: "maxBytes",
      params: { limit: 10, __proto__: null, [HOSTILE]: HOSTILE },
    },
  ],
  guard: { guard: "maxBytes", limit: 10, actual: 2 ** 40 },
  schema_hash: `sha256:${"a".repeat(64)}`,
  client: "client/1.0",
  session: `sha256:${"b".repeat(64)}`,
  request_id: "r-1",
  bytes_in: Number.MAX_SAFE_INTEGER,
  bytes_out: 0,
  duration_ms: 0.1,
};

describe("append", () => {
  it("gives the records that are then read, and that verify", async () => {
    const store = await openTemp();
    const records = await store.append([FULL, CALL, { ...CALL, duration_ms: -0 }]);
    expect(records).toHaveLength(3);
    for (const record of records) {
      expect(await store.get(record.id)).toEqual(record);
    }
    expect(await store.readChain(store.chain)).toEqual(records);
    expect(verifyChain(records)).toEqual({ ok: true, head: records[2]?.hash });
    expect(records[0]?.tool).toContain("DROP TABLE");
    await store.close();
  });

  it("answers an empty list without writing", async () => {
    const store = await openTemp();
    expect(await store.append([])).toEqual([]);
    expect(await store.chains()).toEqual([]);
    await store.close();
  });

  it("keeps ids and links in order of the calls, also when the clock goes back", async () => {
    let at = Date.parse("2026-08-31T09:00:00Z");
    const store = await openTemp(() => {
      at -= 1000;
      return new Date(at);
    });
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.append([{ ...CALL, tool: `t${n}` }])),
    );
    const records = written.flat();
    expect(records.map((record) => record.id)).toEqual(records.map((record) => record.id).sort());
    expect(await store.readChain(store.chain)).toEqual(records);
    expect(verifyChain(records)).toMatchObject({ ok: true });
    expect(records[1]?.time).toBe("2026-08-31T08:59:57.000Z");
    await store.close();
  });

  it("refuses to write after close, and close waits for what was asked before", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const pending = store.append([CALL]);
    await store.close();
    const [record] = await pending;
    await expect(store.append([CALL])).rejects.toMatchObject({ code: "CLOSED" });
    const again = await openActivityStore({ dataDir, sync: "normal" });
    expect(await again.list(filter())).toMatchObject({ total: 1, activities: [record] });
    await again.close();
  });
});

describe("append beside another process", () => {
  it("waits for its lock with the event loop running", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const other = new Database(join(dataDir, "activity.db"));
    other.exec("BEGIN IMMEDIATE");
    let settled = false;
    const both = Promise.all([
      store.append([{ ...CALL, tool: "first" }]),
      store.append([{ ...CALL, tool: "second" }]),
    ]).finally(() => {
      settled = true;
    });
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise(setImmediate);
    }
    expect(settled).toBe(false);
    other.exec("COMMIT");
    const records = (await both).flat();
    expect(records.map((record) => record.tool)).toEqual(["first", "second"]);
    expect(verifyChain(records)).toMatchObject({ ok: true });
    other.close();
    await store.close();
  });

  it("gives up after the limit", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const path = join(dataDir, "activity.db");
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const db = connect(path, "write");
    await expect(whileBusy(path, () => db.exec("BEGIN IMMEDIATE"), 0)).rejects.toMatchObject({
      code: "DATABASE_BUSY",
      message: expect.stringMatching(/activity\.db was locked by another process.*end it/),
    });
    other.exec("ROLLBACK");
    await store.close();
  });
});

describe("append to a full disk", () => {
  it("fails, keeps nothing of the call, and goes on with an unbroken chain", async () => {
    const dataDir = tempDir();
    await (await openActivityStore({ dataDir, sync: "normal" })).close();
    const path = join(dataDir, "activity.db");
    const db = connect(path, "write");
    const writer = createWriter(db, { path, chain: "CHAIN", now: () => new Date() });
    const reader = createReader(openReadDatabase(path));
    const before = await writer.append([{ ...CALL, tool: "before" }]);
    const pages = Math.ceil(statSync(path).size / 4096) + 1;
    db.exec(`PRAGMA max_page_count = ${pages}`);
    const many = Array.from({ length: 100 }, () => ({ ...CALL, reason: "r".repeat(2000) }));
    await expect(writer.append(many)).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringMatching(/could not be recorded in .*full.*Free space/),
    });
    expect(await reader.readChain("CHAIN")).toEqual(before);
    db.exec("PRAGMA max_page_count = 1000000");
    const after = await writer.append([{ ...CALL, tool: "after" }]);
    expect(await reader.readChain("CHAIN")).toEqual([...before, ...after]);
    expect(verifyChain([...before, ...after])).toMatchObject({ ok: true });
    await reader.close();
    db.close();
  });
});
