import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { verifyChain } from "../chain.ts";
import { openActivityStore } from "../open-sqlite.ts";
import { openReadDatabase } from "../read-sqlite.ts";
import type { ActivityEntry } from "../record.ts";
import { ownSegment } from "../segments.ts";
import { createReader } from "../sql/reader.ts";
import { connect, retryWhileBusy } from "../sqlite/connection.ts";
import { CALL, filter, openTemp } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { createJournalWriter } from "./writer.ts";

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
  it.each([
    ["callback", 3],
    ["turn", 2],
  ] as const)("shares one write among the appends of one %s", async (within, writes) => {
    let written = 0;
    const writer = createJournalWriter({
      path: join(tempDir(), "activity.db"),
      chain: "A",
      sync: "normal",
      now: () => new Date(),
      within,
      backlog: {
        add() {
          written += 1;
        },
        room: () => undefined,
      },
    });
    const appended: Promise<unknown>[] = [];
    const turn = (callbacks: number): Promise<void> =>
      new Promise((resolve) => {
        for (let left = callbacks; left > 0; left -= 1) {
          setImmediate(() => {
            appended.push(writer.append([CALL]), writer.append([CALL]));
            if (left === 1) resolve();
          });
        }
      });
    await turn(2);
    await Promise.all(appended);
    await turn(1);
    const records = (await Promise.all(appended)).flat();
    expect(records).toHaveLength(6);
    expect(written).toBe(writes);
    await writer.close();
  });

  it("returns records that read back and verify", async () => {
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

  it("returns an empty list without writing", async () => {
    const store = await openTemp();
    expect(await store.append([])).toEqual([]);
    expect(await store.chains()).toEqual([]);
    await store.close();
  });

  it("keeps ids and links in call order even if the clock goes back", async () => {
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

  it("is refused after close, and close waits for earlier ones", async () => {
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
  it("does not wait for the other's lock, and a reader waits without blocking", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const other = new Database(join(dataDir, "activity.db"));
    other.exec("BEGIN IMMEDIATE");
    const both = await Promise.all([
      store.append([{ ...CALL, tool: "first" }]),
      store.append([{ ...CALL, tool: "second" }]),
    ]);
    let settled = false;
    const page = store.list(filter()).finally(() => {
      settled = true;
    });
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise(setImmediate);
    }
    expect(settled).toBe(false);
    other.exec("COMMIT");
    const records = both.flat();
    expect(await page).toMatchObject({ total: 2 });
    expect(records.map((record) => record.tool)).toEqual(["first", "second"]);
    expect(verifyChain(records)).toMatchObject({ ok: true });
    other.close();
    await store.close();
  });

  it("gives up after the time limit", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const path = join(dataDir, "activity.db");
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const db = connect(path, "write");
    await expect(retryWhileBusy(path, () => db.exec("BEGIN IMMEDIATE"), 0)).rejects.toMatchObject({
      code: "DATABASE_BUSY",
      message: expect.stringMatching(/activity\.db was locked by another process.*end it/),
    });
    other.exec("ROLLBACK");
    await store.close();
  });
});

const NO_BACKLOG = { add: () => {}, room: () => undefined };

describe("append to a full disk", () => {
  it.runIf(existsSync("/dev/full"))(
    "fails, stores nothing of the call, and resumes with an unbroken chain",
    async () => {
      const dataDir = tempDir();
      await (await openActivityStore({ dataDir, sync: "normal" })).close();
      const path = join(dataDir, "activity.db");
      const segment = ownSegment(path, { chain: "CHAIN", from: 0, flushed: false });
      symlinkSync("/dev/full", segment);
      const writer = createJournalWriter({
        path,
        chain: "CHAIN",
        sync: "normal",
        now: () => new Date(),
        backlog: NO_BACKLOG,
      });
      const both = [writer.append([CALL]), writer.append([CALL, CALL])];
      for (const append of both) {
        await expect(append).rejects.toMatchObject({
          code: "WRITE_FAILED",
          message: expect.stringMatching(/could not be recorded in .*ENOSPC.*Free space/),
        });
      }
      rmSync(segment);
      const after = await writer.append([{ ...CALL, tool: "after" }]);
      await writer.close();
      const reader = createReader(openReadDatabase(path));
      expect(await reader.readChain("CHAIN")).toEqual(after);
      expect(verifyChain(after)).toMatchObject({ ok: true });
      await reader.close();
    },
  );
});

describe("a backlog without room", () => {
  it("holds appends until there is room, and fails them with the reason if there never will be", async () => {
    const dataDir = tempDir();
    await (await openActivityStore({ dataDir, sync: "normal" })).close();
    const path = join(dataDir, "activity.db");
    let open: () => void = () => {};
    const full = new Promise<void>((resolve) => {
      open = resolve;
    });
    const rooms: (Promise<void> | undefined)[] = [full, full];
    const writer = createJournalWriter({
      path,
      chain: "CHAIN",
      sync: "normal",
      now: () => new Date(),
      backlog: { add: () => {}, room: () => rooms.shift() },
    });
    const held = writer.append([CALL]);
    const first = await Promise.race([
      held,
      new Promise((resolve) => setImmediate(resolve, "held")),
    ]);
    expect(first).toBe("held");
    open();
    expect(await held).toHaveLength(1);
    const failing = Promise.reject(new Error("the database is full"));
    failing.catch(() => {});
    rooms.push(failing, failing);
    await expect(writer.append([CALL])).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringContaining("the database is full"),
    });
    expect(await writer.append([CALL])).toHaveLength(1);
    await writer.close();
  });
});
