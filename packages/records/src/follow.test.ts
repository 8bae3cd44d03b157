import { describe, expect, it, onTestFinished } from "vitest";
import { followActivity } from "./follow.ts";
import type { ActivityReader } from "./store.ts";
import { CALL, openTemp } from "./testing/fixtures.ts";
import { closing, usePlaces } from "./testing/places.ts";

const PLACES = usePlaces();
const [SQLITE] = PLACES as [(typeof PLACES)[number]];
const BEGINNING = `0-0-${"0".repeat(26)}`;

it("returns each record once, and fewer at a time if they are long", async () => {
  const store = await openTemp();
  onTestFinished(() => store.close());
  const entries = Array.from({ length: 70 }, (_, n) => ({ ...CALL, tool: `t${n}` }));
  const written = await store.append(entries);
  const asked: number[] = [];
  const long = "x".repeat(1024 * 1024);
  const reader: ActivityReader = {
    ...store,
    async tail(position, limit) {
      asked.push(limit);
      const tail = await store.tail(position, limit);
      return { ...tail, records: tail.records.map((record) => ({ ...record, result: long })) };
    },
  };
  const stop = new AbortController();
  const seen: string[] = [];
  const following = { position: BEGINNING, signal: stop.signal };
  for await (const { records } of followActivity(reader, following)) {
    seen.push(...records.map(({ id }) => id));
    if (seen.length === written.length) stop.abort();
  }
  expect(seen).toEqual(written.map(({ id }) => id));
  expect(asked).toEqual([50, 7, 7, 7]);
});

describe("after VACUUM, which may give new row ids", () => {
  /** A store whose oldest records were removed, so that VACUUM closes a gap, and the position of a reader. */
  async function gapped() {
    const {
      kind,
      at,
      store: open,
      reader: openReader,
      pruner,
      eraser,
      query,
    } = await SQLITE[1]((reason) => {
      throw new Error(reason);
    });
    expect(kind).toBe("SQLite");
    const store = closing(await open());
    const write = async (count: number): Promise<void> => {
      await store.append(Array.from({ length: count }, () => ({ ...CALL, caller: "her" })));
    };
    await write(40);
    const reader = closing(await openReader());
    const following = { position: BEGINNING };
    const seen: string[] = [];
    /** Continues to read, a few records at a time. */
    const read = async (most = Number.POSITIVE_INFINITY): Promise<void> => {
      for (let left = most; left > 0; ) {
        const tail = await reader.tail(following.position, Math.min(left, 7));
        following.position = tail.position;
        seen.push(...tail.records.map(({ id }) => id));
        if (tail.records.length === 0) return;
        left -= tail.records.length;
      }
    };
    const remove = async (keep: number): Promise<void> => {
      const of = await pruner();
      await of.prune({ maxRecords: keep });
      await of.close();
    };
    const vacuum = async (): Promise<void> => {
      const of = await eraser();
      const author = { actor: "test" } as const;
      await of.erase({ subject: { caller: "her" }, dryRun: false, author, source: "cli" });
      await of.close();
      // This build of SQLite keeps row ids if a table has an index, but its documentation does not promise that.
      const first = Number(((await rows())[0] as { readonly row: number }).row);
      if (first > 1) await query(`UPDATE activity SET rowid = rowid - ${first - 1} RETURNING id`);
    };
    const rows = () => query("SELECT rowid AS row, id FROM activity ORDER BY rowid");
    const ids = async () =>
      ((await rows()) as readonly { readonly id: string }[]).map(({ id }) => id);
    return { at, write, read, remove, vacuum, query, ids, seen };
  }

  it("a reader skips and repeats nothing, wherever it was", async () => {
    for (const until of [21, 25, 33, 40, 1_000]) {
      const { write, read, remove, vacuum, ids, seen } = await gapped();
      await read(20);
      await remove(20);
      await write(5);
      await read(until - 20);
      const first = seen.length;
      await vacuum();
      await write(6);
      await read();
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.slice(20)).toEqual((await ids()).filter((id) => seen.indexOf(id) >= 20));
      expect(seen.slice(first).length).toBeGreaterThanOrEqual(6);
      for (const id of await ids()) expect(seen).toContain(id);
    }
  });

  it("a reader gets what another process commits later, with an earlier id", async () => {
    const { write, read, remove, vacuum, query, ids, seen } = await gapped();
    await remove(20);
    await write(5);
    await read();
    await vacuum();
    const columns = (await query("SELECT name FROM pragma_table_info('activity')")) as readonly {
      readonly name: string;
    }[];
    const values = columns.map(({ name }) => {
      if (name === "id") return "substr(id, 1, 25) || '0'";
      return name === "chain" ? "'another'" : `"${name}"`;
    });
    await query(`INSERT INTO activity SELECT ${values.join()} FROM activity LIMIT 3 RETURNING id`);
    await write(1);
    const before = seen.length;
    await read();
    const all = await ids();
    expect(seen.slice(before)).toEqual(all.filter((id) => seen.indexOf(id) >= before));
    expect(seen.filter((id) => id.endsWith("0")).length).toBeGreaterThanOrEqual(3);
    for (const id of all) expect(seen).toContain(id);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
