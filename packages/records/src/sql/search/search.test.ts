import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { parseCallFilter } from "../../calls.ts";
import { formatQuery } from "../../query/query.ts";
import { connect } from "../../sqlite/connection.ts";
import type { ActivityStore } from "../../store.ts";
import { CALL } from "../../testing/fixtures.ts";
import { closing, type StoreUnderTest, usePlaces } from "../../testing/places.ts";
import { verifyActivity } from "../../verify/verify.ts";

const NOW = new Date("2026-08-31T12:00:00Z");
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const CITIES = ["Oslo", "Kelvinstad", "são paulo", 'say "hi"', "50%_off", "a*b AND c", "NEAR(x y)"];
const COUNT = 2_400;
const HERS = "gundula";
const KEPT = { maxBytes: 10_000 };

const city = (at: number): string => CITIES[at % CITIES.length] ?? "";
const hasBodies = (at: number): boolean => at % 3 !== 0;
const textOf = (at: number): string =>
  JSON.stringify({ city: city(at), note: `note-${at}-end` }) + JSON.stringify({ ok: at * 7 });

/** More calls than a search would compare without its index; every third has no body. */
async function filled(place: StoreUnderTest): Promise<ActivityStore> {
  const store = closing(await place.store({ now: () => NOW, bodies: KEPT }));
  const entries = Array.from({ length: COUNT }, (_, at) => ({
    ...{
      ...CALL,
      server: "s",
      tool: "t",
      request_id: `r${at}`,
      caller: at % 5 === 0 ? HERS : "bob",
    },
    ...(hasBodies(at)
      ? {
          arguments: bytes({ city: city(at), note: `note-${at}-end` }),
          result: bytes({ ok: at * 7 }),
        }
      : {}),
  }));
  for (let at = 0; at < COUNT; at += 200) await store.append(entries.slice(at, at + 200));
  return store;
}

async function index(place: StoreUnderTest, store: ActivityStore): Promise<void> {
  // A read moves them from the journal into the database.
  await store.list({ limit: 1, offset: 0 });
  const pruner = await place.pruner(() => NOW);
  await pruner.rollUp();
  await pruner.close();
}

function writing({ at }: StoreUnderTest): ReturnType<typeof connect> {
  if (!("dataDir" in at)) throw new Error("SQLite has a directory");
  return connect(join(at.dataDir, "activity.db"), "write");
}

/** Returns the numbers of all calls that a search finds, over all pages. */
async function found(
  store: Pick<ActivityStore, "calls">,
  query: string,
): Promise<readonly number[]> {
  const all: number[] = [];
  let cursor: string | null = null;
  do {
    const input = { query, limit: "200", ...(cursor === null ? {} : { cursor }) };
    const page = await store.calls(parseCallFilter(input, NOW));
    all.push(...page.calls.map(({ request_id }) => Number(request_id?.slice(1))));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all.toSorted((a, b) => a - b);
}

const quoted = (text: string): string =>
  formatQuery([{ key: null, values: [text], isExcluded: false }]);
/** Compares like LIKE: only ASCII letters ignore case. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (one) => one.toLowerCase());
const expected = (text: string): readonly number[] =>
  Array.from({ length: COUNT }, (_, at) => at).filter(
    (at) => hasBodies(at) && lower(textOf(at)).includes(lower(text)),
  );

describe.each(usePlaces())("a search for text in %s", (kind, open) => {
  it("finds kept arguments and results, with an index and without one", async ({ skip }) => {
    const place = await open(skip);
    const store = await filled(place);
    const texts = [
      "KELVINSTAD",
      "note-1204-end",
      "note-7",
      '\\"hi\\"',
      "0%_of",
      "a*b AND c",
      "NEAR(x",
      "ÃO PA",
      "o p",
      "zz-none",
    ];
    const search = async () => Promise.all(texts.map((text) => found(store, quoted(text))));
    const all = texts.map(expected);
    expect(await search()).toEqual(all);
    await index(place, store);
    expect(await search()).toEqual(all);
    // New calls are found as well.
    await store.append([
      { ...CALL, request_id: "r9000", arguments: bytes({ note: "note-1204-end" }) },
    ]);
    expect(await found(store, "note-1204-end")).toEqual([1204, 9000]);
    expect(await found(store, "kelvinstad note-8")).toEqual(
      expected("kelvinstad").filter((at) => expected("note-8").includes(at)),
    );
    expect(await found(store, "note-12 -kelvinstad caller:bob")).toEqual(
      expected("note-12").filter((at) => city(at) !== "Kelvinstad" && at % 5 !== 0),
    );
    expect(await verifyActivity(store)).toMatchObject({ ok: true, store_faults: [] });
  });

  it("finds what a comparison finds, for any part of a body", {
    ...long,
    timeout: 120_000,
  }, async ({ skip }) => {
    const place = await open(skip);
    const store = await filled(place);
    await index(place, store);
    const part = fc
      .tuple(fc.nat(COUNT - 1), fc.nat(40), fc.integer({ min: 1, max: 12 }))
      .map(([at, from, length]) => textOf(at).slice(from, from + length))
      // Arguments and result are compared separately.
      .filter((text) => text !== "" && !text.includes("}{") && expected(text).length < 900);
    await fc.assert(
      fc.asyncProperty(part, async (text) => {
        const names = "s t gundula bob";
        fc.pre(!names.includes(lower(text)) && !/^r?\d*$/.test(text));
        const calls = (await found(store, quoted(text))).filter(hasBodies);
        expect(calls).toEqual(expect.arrayContaining([...expected(text)]));
      }),
      { numRuns: 40 },
    );
  });

  it("forgets calls that retention removed, or whose content was erased", async ({ skip }) => {
    const place = await open(skip);
    const store = await filled(place);
    await index(place, store);
    const eraser = await place.eraser();
    const erasure = await eraser.erase({
      subject: { caller: HERS },
      dryRun: false,
      author: { actor: "auth.keys", caller: "admin", reason: "request 17" },
      source: "cli",
    });
    await eraser.close();
    expect(erasure.records).toBe(COUNT / 5);
    expect(await found(store, "kelvinstad")).toEqual(
      expected("kelvinstad").filter((at) => at % 5 !== 0),
    );
    const pruner = await place.pruner(() => NOW);
    await pruner.prune({ maxRecords: 400 });
    await pruner.close();
    const left = await found(store, "kelvinstad");
    expect(left.every((at) => at > COUNT - 500 && at % 5 !== 0)).toBe(true);
    expect(left.length).toBeGreaterThan(20);
    expect(await verifyActivity(store)).toMatchObject({ store_faults: [] });
    if (kind === "SQLite") {
      const [row] = (await place.query(
        `SELECT (SELECT count(*) FROM searched) AS listed, (SELECT count(*) FROM search_text_docsize) AS texts,
          (SELECT count(*) FROM activity WHERE arguments IS NOT NULL OR result IS NOT NULL) AS bodies`,
      )) as { listed: number; texts: number; bodies: number }[];
      expect(row).toEqual({ listed: row?.bodies, texts: row?.bodies, bodies: row?.bodies });
    }
  });

  it(
    "says how much it has searched if it stops before the page is full",
    long,
    async ({ skip }) => {
      if (kind !== "SQLite") return;
      const place = await open(skip);
      const store = await filled(place);
      await index(place, store);
      if (!("dataDir" in place.at)) throw new Error("SQLite has a directory");
      const db = connect(join(place.at.dataDir, "activity.db"), "write");
      const columns = "type, source, issues, prev_hash, hash, rules, server, tool, status, time";
      // Older than all other calls: a search begins with the newest.
      db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 230000)
      INSERT INTO activity (id, chain, seq, ${columns})
      SELECT printf('01K0%08d%014d', i / 1000, i), 'bulk', i, 'tool_call', 'gateway', '[]', '', printf('%064d', i), '', 'bulk', 'b', 'success',
        '2025-07-13T00:00:00.000Z' FROM n`);
      db.exec(
        "INSERT INTO tally SELECT hour, type, 'bulk', 'b', direction, decision, status, 230000 FROM tally WHERE hour = '' LIMIT 1",
      );
      db.close();
      const page = await store.calls(parseCallFilter({ query: "note-1-end" }, NOW));
      expect(page.calls.map(({ request_id }) => request_id)).toEqual(["r1"]);
      expect(page.total).toBeNull();
      expect(page.next_cursor).not.toBeNull();
      expect(page.searched).toMatchObject({ indexed: true });
      expect(page.searched?.of).toBe(COUNT + 230_000);
      expect(page.searched?.calls).toBeLessThan(page.searched?.of ?? 0);
      expect(await found(store, "note-1-end")).toEqual([1]);
    },
  );
});

describe("the search index of SQLite", () => {
  const [[, open] = []] = usePlaces();
  it.each([
    ["a call too few", ["DELETE FROM searched WHERE n = 3"], /the search index lacks 1 call/],
    [
      "another call",
      ["UPDATE searched SET record = 'x' WHERE n = 3"],
      /the search index has 1 call whose/,
    ],
    [
      "a text too few",
      ["DELETE FROM search_text WHERE rowid = 3"],
      /has 1599 calls, and its list has 1600/,
    ],
    [
      "a chain that is not known",
      ["DELETE FROM search_chains"],
      /other calls than its table of chains/,
    ],
    [
      "a number beyond the end",
      ["UPDATE search_chains SET records = 9999"],
      /other calls than its table/,
    ],
  ])("is verified: %s", async (_name, statements, fault) => {
    const place = await (open as NonNullable<typeof open>)(() => {
      throw new Error("SQLite needs no server");
    });
    const store = await filled(place);
    await index(place, store);
    const db = writing(place);
    for (const statement of statements) db.exec(statement);
    db.close();
    expect((await verifyActivity(store)).store_faults.join("\n")).toMatch(fault);
  });
});
