import { join } from "node:path";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { verifyChain } from "../chain.ts";
import { parseActivityFilter } from "../filter.ts";
import { openActivityStore } from "../open-sqlite.ts";
import type { ActivityEntry, ActivityRecord } from "../record.ts";
import type { ActivityStore } from "../store.ts";
import { CALL, filter, openTemp } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";

const session = (digit: string): string => `sha256:${digit.repeat(64)}`;

const ENTRIES: readonly ActivityEntry[] = [
  { ...CALL, server: "a", tool: "x", status: "success", request_id: "r0" },
  {
    ...CALL,
    server: "a",
    tool: "y",
    status: "blocked",
    decision: "blocked",
    session: session("1"),
  },
  {
    type: "policy_decision",
    source: "gateway",
    server: "a",
    tool: "y",
    direction: "input",
    decision: "blocked",
    status: "blocked",
    request_id: "r1",
  },
  {
    type: "policy_decision",
    source: "gateway",
    server: "b",
    tool: "x",
    direction: "output",
    decision: "warning",
    status: "warning",
    session: session("2"),
  },
  { type: "schema_change", source: "gateway", server: "b", tool: "x" },
  { type: "system_stop", source: "gateway" },
];

/** A store with one record per minute, from 09:00 on. */
async function seeded(): Promise<{ store: ActivityStore; records: readonly ActivityRecord[] }> {
  let minute = 0;
  const store = await openTemp(() => new Date(Date.UTC(2026, 7, 31, 9, minute++)));
  minute = 0;
  const records: ActivityRecord[] = [];
  for (const entry of ENTRIES) {
    records.push(...(await store.append([entry])));
  }
  return { store, records };
}

describe("list", () => {
  it.each([
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ type: "policy_decision" }, [3, 2]],
    [{ type: "schema_change,system_stop" }, [5, 4]],
    [{ type: "config_change" }, []],
    [{ server: "a" }, [2, 1, 0]],
    [{ server: "A" }, []],
    [{ server: "%" }, []],
    [{ tool: "x" }, [4, 3, 0]],
    [{ server: "b", tool: "x" }, [4, 3]],
    [{ direction: "input" }, [2]],
    [{ decision: "blocked" }, [2, 1]],
    [{ status: "success,warning" }, [3, 0]],
    [{ status: "blocked", type: "tool_call" }, [1]],
    [{ session: session("2") }, [3]],
    [{ request: "r1" }, [2]],
    [{ since: "2026-08-31T09:04:00Z" }, [5, 4]],
    [{ until: "2026-08-31T09:02:00Z" }, [1, 0]],
    [{ since: "2026-08-31T09:01:00Z", until: "2026-08-31T09:02:00Z" }, [1]],
    [{ since: "3m" }, [5, 4, 3]],
    [{ limit: "2" }, [5, 4]],
    [{ limit: "2", offset: "3" }, [2, 1]],
    [{ offset: "99" }, []],
    [{ server: "' OR 1=1 --" }, []],
  ])("finds for %j the records %j", async (input: Record<string, string>, expected) => {
    const { store, records } = await seeded();
    const page = await store.list(parseActivityFilter(input, new Date("2026-08-31T09:06:00Z")));
    expect(page.activities).toEqual(expected.map((index) => records[index]));
    await store.close();
  });

  it("returns the total of matching records with a page", async () => {
    const { store } = await seeded();
    expect(await store.list(filter({ server: "a", limit: "1", offset: "1" }))).toMatchObject({
      total: 3,
      limit: 1,
      offset: 1,
      next_cursor: expect.any(String),
    });
    expect(await store.list(filter({ server: "a", limit: "1", offset: "2" }))).toMatchObject({
      total: 3,
      next_cursor: null,
    });
    await store.close();
  });

  it("visits every record once by cursor while records are added", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat(3), { maxLength: 40 }),
        async (count, limit, additions) => {
          const store = await openActivityStore({ dataDir: tempDir(), sync: "normal" });
          const written = await store.append(Array.from({ length: count }, () => CALL));
          const seen: string[] = [];
          let cursor: string | null = null;
          let turn = 0;
          do {
            const input: Record<string, string> = cursor === null ? {} : { cursor };
            const page = await store.list(filter({ limit: String(limit), ...input }));
            expect(page.activities.length).toBeLessThanOrEqual(limit);
            seen.push(...page.activities.map((record) => record.id));
            await store.append(Array.from({ length: additions[turn++] ?? 0 }, () => CALL));
            cursor = page.next_cursor;
          } while (cursor !== null);
          expect(seen).toEqual(written.map((record) => record.id).reverse());
          await store.close();
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("get and findByPrefix", () => {
  it("finds a record by its id in any case, and by a prefix", async () => {
    const { store, records } = await seeded();
    const id = records[2]?.id ?? "";
    expect(await store.get(id.toLowerCase())).toEqual(records[2]);
    expect(await store.get("nothing")).toBeUndefined();
    expect(await store.findByPrefix(id.toLowerCase(), 2)).toEqual([records[2]]);
    const start = id.slice(0, -1);
    expect(await store.findByPrefix(start.toLowerCase(), 9)).toEqual(
      records.filter((record) => record.id.startsWith(start)),
    );
    expect(await store.findByPrefix("0", 3)).toEqual(records.slice(0, 3));
    expect(await store.findByPrefix("%", 3)).toEqual([]);
    await store.close();
  });
});

describe("chains", () => {
  it("lists each process start and reads its records in pages", async () => {
    const { store, records } = await seeded();
    expect(await store.chains()).toEqual([
      {
        chain: store.chain,
        records: 6,
        appended: 6,
        head: records[5]?.hash,
        pruned: 0,
        pruned_id: null,
        pruned_hash: null,
        first_id: records[0]?.id,
        last_id: records[5]?.id,
        first_seq: 0,
        last_seq: 5,
        skew_ms: expect.any(Number),
      },
    ]);
    expect(await store.readChain(store.chain, { from: 2, limit: 3 })).toEqual(records.slice(2, 5));
    expect(await store.readChain("another")).toEqual([]);
    await store.close();
  });
});

describe("a database that another program changed", () => {
  it.each([
    ["issues", "'['"],
    ["issues", "'[null]'"],
    ["issues", `'[{"path":1}]'`],
    ["guard", "'{}'"],
  ])("names the record if its %s became %s", async (column, value) => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const [record] = await store.append([CALL]);
    expect(await store.list(filter())).toMatchObject({ total: 1 });
    const other = new Database(join(dataDir, "activity.db"));
    other.exec(`UPDATE activity SET ${column} = ${value}`);
    other.close();
    await expect(store.list(filter())).rejects.toMatchObject({
      code: "RECORD_UNREADABLE",
      message: expect.stringMatching(new RegExp(`${record?.id}.*${column}`)),
    });
    await store.close();
  });

  it("shows the change in the chain", async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([CALL, { ...CALL, status: "blocked" }, CALL]);
    expect(verifyChain(await store.readChain(store.chain))).toMatchObject({ ok: true });
    const other = new Database(join(dataDir, "activity.db"));
    other.exec("UPDATE activity SET status = 'success' WHERE status = 'blocked'");
    expect(verifyChain(await store.readChain(store.chain))).toMatchObject({
      index: 1,
      fault: "content",
    });
    other.exec("DELETE FROM activity WHERE seq = 1");
    other.close();
    expect(verifyChain(await store.readChain(store.chain))).toMatchObject({
      index: 1,
      fault: "link",
    });
    await store.close();
  });
});
