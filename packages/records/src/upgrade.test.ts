import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core/advanced";
import { canonicalDefinition } from "@touchstone/protocol/lock";
import Database from "libsql";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { ToolContract } from "../../gateway/src/contracts/contract.ts";
import { OLDER_DEFINITIONS } from "../../protocol/src/tool-checks/lock/testing/older-definitions.ts";
import { DATABASE_FILE, openActivityReader, openActivityStore } from "./open-sqlite.ts";
import { openPostgresReader, openPostgresStore } from "./postgres/open.ts";
import { LAYOUT_VERSION } from "./sql/migrations.ts";
import { partsOf } from "./sql/tables.ts";
import type { ActivityReader, ActivityStore } from "./store.ts";
import { useDatabases } from "./testing/databases.ts";
import { CALL, filter } from "./testing/fixtures.ts";
import { closing } from "./testing/places.ts";
import { tempDir } from "./testing/temp-dir.ts";
import { verifyActivity } from "./verify/verify.ts";

const SCOPE = { server: "s", revision: "2025-11-25", authorization: "" };
const cache = new SchemaCache();
const tool = (name: string, input: string, output?: string): ToolContract =>
  new ToolContract(
    {
      name,
      inputSchema: Buffer.from(input),
      ...(output === undefined ? {} : { outputSchema: Buffer.from(output) }),
    },
    cache,
  );
const LIST = [tool("t", "{}", '{"type":"object"}'), tool("天", "true")];

/** A separate database. */
interface UpgradedDatabase {
  store(): Promise<ActivityStore>;
  reader(): Promise<ActivityReader | undefined>;
  /** Creates the data of a build of layout 7, or of another one. */
  fill(layout?: 7 | 10 | 16): Promise<void>;
  run(statements: string): Promise<readonly unknown[]>;
}

type Skip = (reason: string) => never;

const fixture = (kind: string, layout: number): string =>
  readFileSync(new URL(`testing/layout-${layout}.${kind}.sql`, import.meta.url), "utf8");
const database = useDatabases();
const KINDS: readonly (readonly [string, (skip: Skip) => Promise<UpgradedDatabase>])[] = [
  ["SQLite", async () => sqlite()],
  ["PostgreSQL", async (skip) => postgres(await database(skip))],
];

function sqlite(): UpgradedDatabase {
  const dataDir = tempDir();
  const withDatabase = <T>(work: (db: Database.Database) => T): T => {
    const db = new Database(join(dataDir, DATABASE_FILE));
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    store: async () => closing(await openActivityStore({ dataDir, sync: "normal" })),
    reader: async () => {
      const reader = await openActivityReader({ dataDir });
      return reader && closing(reader);
    },
    fill: async (layout = 7) => withDatabase((db) => void db.exec(fixture("sqlite", layout))),
    run: async (statements) =>
      withDatabase((db) => {
        if (statements.startsWith("SELECT")) return db.prepare(statements).all([]);
        db.exec(statements);
        return [];
      }),
  };
}

function postgres(url: string): UpgradedDatabase {
  const query = async (statements: string): Promise<readonly unknown[]> => {
    const client = new pg.Client({ connectionString: url, options: "-c search_path=touchstone" });
    await client.connect();
    try {
      return (await client.query(statements)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    store: async () => closing(await openPostgresStore({ url })),
    reader: async () => closing(await openPostgresReader({ url })),
    fill: async (layout = 7) => void (await query(fixture("postgres", layout))),
    run: query,
  };
}

const STATED = "SELECT layout, reader, writer FROM version";
const numbers = (rows: readonly unknown[]): unknown =>
  rows.map((row) => Object.values(row as object).map(Number));

describe.each(KINDS)("%s", (kind, make) => {
  it("reads and verifies the records of a build with layout 7", async ({ skip }) => {
    const place = await make(skip);
    await place.fill();
    const reader = await place.reader();
    if (reader === undefined) throw new Error("nothing recorded");
    expect(await verifyActivity(reader)).toMatchObject({
      ok: true,
      records: 5,
      chains: 2,
      pruned: 1,
      faults: [],
      store_faults: [],
      lists: 2,
      unsealed_lists: 2,
    });
    const page = await reader.list(filter({ server: "s" }));
    expect(page).toMatchObject({ total: 4 });
    expect(page.activities.map(({ tool: name, status }) => [name, status])).toEqual([
      ["t", "blocked"],
      ["t", "warning"],
      ["t", "blocked"],
      ["天", "success"],
    ]);
    expect(page.activities[1]).toMatchObject({ guard: { guard: "maxBytes", limit: 1, actual: 2 } });
    expect(page.activities[3]).toMatchObject({ duration_ms: 1.5, arguments: '{"a":"b"}' });
    expect(await reader.drift("s", "t")).toMatchObject([{ shape: { count: 1 } }]);
    expect(await reader.rollout(filter({ server: "s" }))).toMatchObject({
      ...{ checked: 1, would_block: 1, not_known: 1, not_checked: 0 },
    });
    expect(numbers(await place.run(STATED))).toEqual([[LAYOUT_VERSION, 7, 7]]);
  });

  it("continues the records of a build with layout 7, in several processes at once", async ({
    skip,
  }) => {
    const place = await make(skip);
    await place.fill();
    const stores = await Promise.all([place.store(), place.store(), place.store()]);
    const [store] = stores;
    for (const { append } of stores) await append([{ ...CALL, truncated: 3, caller: "alice" }]);
    expect(await store.list(filter({ caller: "alice" }))).toMatchObject({ total: 3 });
    expect(await store.list(filter({ caller: "bob" }))).toMatchObject({ total: 0 });
    expect(await store.contracts.replace(SCOPE, LIST)).toEqual([]);
    const client = { ...SCOPE, authorization: "sha256:1" };
    expect(await store.contracts.tool(client, "t")).toMatchObject({ exact: true });
    expect(await store.contracts.replace(client, LIST)).toMatchObject([
      { tool: "天", kind: "added" },
    ]);
    expect(await store.tasks?.find("s", "sha256:t")).toMatchObject(
      kind === "SQLite" ? {} : { tool: "t", requestId: "1", known: true },
    );
    const sealed = { ok: true, records: 8, store_faults: [], lists: 2, unsealed_lists: 0 };
    expect(await verifyActivity(store)).toMatchObject(sealed);
  });

  it("reads, verifies and continues the records of a build with layout 10", async ({ skip }) => {
    const place = await make(skip);
    await place.fill(10);
    const reader = await place.reader();
    if (reader === undefined) throw new Error("nothing recorded");
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, records: 4, store_faults: [] });
    const { activities } = await reader.list(filter({ server: "s" }));
    expect(activities.map(({ tool: name, status }) => [name, status])).toEqual([
      ["t", "warning"],
      ["t", "blocked"],
      ["天", "success"],
    ]);
    expect(activities[0]).toMatchObject({ guard: { guard: "maxBytes", limit: 1, actual: 2 } });
    expect(activities[2]).toMatchObject({ duration_ms: 1.5, bytes_in: 10, bytes_out: 20 });
    expect(numbers(await place.run(STATED))).toEqual([[LAYOUT_VERSION, 7, 7]]);
    const store = await place.store();
    await store.append([{ ...CALL, caller: "alice" }]);
    expect(await store.list(filter({ caller: "alice" }))).toMatchObject({ total: 1 });
    expect(await store.contracts.replace(SCOPE, LIST)).toEqual([]);
    expect(await store.tasks?.find("s", "sha256:t")).toMatchObject(
      kind === "SQLite" ? {} : { tool: "t", requestId: "1", known: true },
    );
    expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 5, store_faults: [] });
  });

  it("keeps the version number that lets builds of layout 7 use the database", async ({ skip }) => {
    const place = await make(skip);
    await place.store();
    const [version, table] =
      kind === "SQLite" ? ["user_version", "pragma_user_version"] : ["version", "version"];
    expect(numbers(await place.run(`SELECT ${version} FROM ${table}`))).toEqual([
      [kind === "SQLite" ? 7 : 5],
    ]);
  });

  it("uses a database with a newer build's additions if that build allows it", async ({ skip }) => {
    const place = await make(skip);
    await (await place.store()).append([CALL]);
    await place.run(`CREATE TABLE later (id INTEGER);
      ALTER TABLE activity ADD COLUMN later TEXT;
      CREATE INDEX activity_later ON activity (later);
      UPDATE version SET layout = ${LAYOUT_VERSION + 5}`);
    const store = await place.store();
    await store.append([CALL]);
    expect(await store.contracts.replace(SCOPE, LIST)).toEqual([]);
    expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 2, store_faults: [] });
    expect(numbers(await place.run(STATED))).toEqual([[LAYOUT_VERSION + 5, 7, 7]]);
  });

  it("only reads a database if the newer build allows only that", async ({ skip }) => {
    const place = await make(skip);
    await (await place.store()).append([CALL]);
    const newer = LAYOUT_VERSION + 5;
    await place.run(`UPDATE version SET layout = ${newer}, writer = ${newer}`);
    await expect(place.store()).rejects.toMatchObject({
      code: "DATABASE_NEWER",
      message: expect.stringContaining(`has schema version ${newer}, and this release knows`),
    });
    expect(await (await place.reader())?.list(filter())).toMatchObject({ total: 1 });
    await place.run(`UPDATE version SET reader = ${newer}`);
    await expect(place.reader()).rejects.toMatchObject({ code: "DATABASE_NEWER" });
  });

  it("changes nothing if an upgrade fails", async ({ skip }) => {
    const place = await make(skip);
    await place.fill();
    // Missing parts are created one after the other; a view prevents one of the last.
    await place.run("DROP TABLE list_scopes; CREATE VIEW list_scopes AS SELECT 1 AS one");
    await expect(place.store()).rejects.toMatchObject({
      message: expect.stringContaining("list_scopes"),
    });
    await expect(place.run("SELECT truncated FROM activity")).rejects.toThrow(/truncated/);
  });

  it("refuses tables older than any release", async ({ skip }) => {
    const place = await make(skip);
    await place.fill();
    await place.run(
      kind === "SQLite" ? "PRAGMA user_version = 3" : "UPDATE version SET version = 3",
    );
    await expect(place.store()).rejects.toMatchObject({
      code: "DATABASE_UNREADABLE",
      message: expect.stringContaining("has schema version 3"),
    });
  });
});

it("raises the layout number with every change to the tables", () => {
  const parts = [...partsOf("sqlite"), ...partsOf("postgres")];
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  // If this fails, the tables have changed. Raise LAYOUT, and set the digest of the new layout.
  expect({ layout: LAYOUT_VERSION, tables: digest }).toEqual({
    layout: 21,
    tables: "7eb08b3aad70dac986b515a868ebe0be62b2d6f50a107b4906de9dcd5c5611aa",
  });
});

it("keeps approvals of a build with layout 16, by hashes that still match", async () => {
  const place = sqlite();
  await place.fill(16);
  const reader = await place.reader();
  if (reader === undefined) throw new Error("nothing recorded");
  // These approvals are from before approvals had records.
  const before = { ok: true, faults: [], store_faults: [], unrecorded_approvals: 4, approvals: 0 };
  expect(await verifyActivity(reader)).toMatchObject(before);
  const store = await place.store();
  const hashes = Object.fromEntries(
    Object.entries(OLDER_DEFINITIONS).map(([name, text]) => [
      name,
      canonicalDefinition(text)?.hash ?? "",
    ]),
  );
  const { pins = [], firstUse } = (await store.pins.read("s")) ?? {};
  expect(pins.map(({ name, hash, state }) => [name, hash === hashes[name], state])).toEqual([
    ["numbers", true, "approved"],
    ["spelling", true, "revoked"],
    ["twice", true, "approved"],
  ]);
  expect(firstUse).toEqual(new Set(["tool"]));
  const texts = await store.pins.texts("s", Object.values(hashes));
  expect([...texts]).toHaveLength(3);
  for (const [name, source] of Object.entries(OLDER_DEFINITIONS)) {
    expect(texts.get(hashes[name] ?? "")).toBe(canonicalDefinition(source)?.text);
  }
  // A declaration that was seen before is not new.
  const seen = { kind: "tool", name: "numbers", hash: hashes["numbers"] ?? "", text: "" } as const;
  expect(await store.pins.saw("s", [seen])).toEqual([]);
  await store.pins.begin();
  const after = { ok: true, store_faults: [], unrecorded_approvals: 0, approvals: 3 };
  expect(await verifyActivity(store)).toMatchObject(after);
});
