import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import { listSegments } from "../segments.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";

/** Returns the number of rows in the database itself. */
function rows(path: string): number {
  const db = new Database(path);
  const [row] = db.prepare("SELECT count(*) AS n FROM activity").all([]) as { n: number }[];
  db.close();
  return row?.n ?? 0;
}

describe("the journal's backlog", () => {
  it("is folded in a pause", { timeout: 30_000 }, async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const group = Array.from({ length: 3_000 }, () => CALL);
    await store.append(group);
    await vi.waitFor(() => expect(rows(path)).toBe(group.length), { timeout: 25_000 });
    await store.close();
  });

  it("is folded under load once it is large", { ...long, timeout: 120_000 }, async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const store = await openActivityStore({ dataDir, sync: "normal" });
    let appended = 0;
    const group = Array.from({ length: 100 }, () => ({ ...CALL, reason: "x".repeat(400) }));
    while (rows(path) === 0) {
      await store.append(group);
      appended += group.length;
    }
    await store.close();
    const reader = await openActivityReader({ dataDir });
    expect(await reader?.list(filter())).toMatchObject({ total: appended });
    await reader?.close();
  });

  it("is folded on close", async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([CALL, CALL]);
    expect(rows(path)).toBe(0);
    await store.close();
    expect(rows(path)).toBe(2);
    expect(listSegments(path)).toEqual([]);
  });

  it("stays in the journal if the database is locked on close, and is not lost", long, async () => {
    const dataDir = tempDir();
    const path = join(dataDir, "activity.db");
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const records = await store.append([CALL, CALL]);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    await store.close();
    other.exec("ROLLBACK");
    other.close();
    expect(rows(path)).toBe(0);
    const reader = await openActivityReader({ dataDir });
    expect(await reader?.readChain(store.chain)).toEqual(records);
    await reader?.close();
  });
});
