import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { eachOf, long, split } from "../../../core/src/testing/sample.ts";
import { decideApproval } from "../approvals.ts";
import { openActivityStore } from "../open-sqlite.ts";
import type { ActivityRecord } from "../record.ts";
import { A, BOUNDS, C, pinned, session } from "../testing/filled.ts";
import { CALL } from "../testing/fixtures.ts";
import { closing, type StoreUnderTest, usePlaces } from "../testing/places.ts";
import { verifyActivity } from "../verify/verify.ts";

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const SECRET = "zwiebelkuchen";
const NAME = "gundula.meierhofer";
const BODIES = { maxBytes: 10_000 };
const SESSION = `sha256:${"5".repeat(64)}`;

const CALL_OF_HER = {
  ...CALL,
  caller: NAME,
  client: `${NAME}-laptop/1`,
  session: SESSION,
  reason: `asked for ${SECRET}`,
  issues: [{ path: `/${SECRET}`, message: `must not be ${SECRET}`, rule: "type" as const }],
  arguments: bytes({ dish: SECRET }),
  result: bytes({ text: SECRET }),
};
const CALL_OF_HIM = { ...CALL, caller: "bob", arguments: bytes({ dish: "soup" }) };

const erase = async (at: StoreUnderTest, more: object = {}) => {
  const eraser = await at.eraser();
  try {
    return await eraser.erase({
      ...{
        subject: { caller: NAME },
        dryRun: false,
        author: { actor: "auth.keys", caller: "admin", reason: "request 17" },
        source: "cli" as const,
      },
      ...more,
    });
  } finally {
    await eraser.close();
  }
};

/** The expected warnings about remaining data, by kind of store. */
const REMAINS = { SQLite: [], PostgreSQL: [expect.stringContaining("VACUUM FULL")] };

const verifiedAt = async (at: StoreUnderTest) => verifyActivity(closing(await at.reader()));
const recordsAt = async (at: StoreUnderTest): Promise<readonly ActivityRecord[]> => {
  const { activities } = await closing(await at.reader()).list({ limit: 1000, offset: 0 });
  return activities.toReversed();
};

const PLACES = usePlaces();
type NamedPlace = (typeof PLACES)[number];
const [SQLITE, POSTGRES] = PLACES as [NamedPlace, NamedPlace];

describe.each(PLACES)("erasing on %s", (_kind, open) => {
  /** Writes calls of two people, and leaves the store open, as in a running gateway. */
  const filled = async (context: { skip: (reason: string) => never }) => {
    const at = await open((reason) => context.skip(reason));
    const store = closing(await at.store({ bodies: BODIES }));
    for (let n = 0; n < 60; n += 1) await store.append([CALL_OF_HER, CALL_OF_HIM]);
    await store.pins.firstUse("s", "tool", [A]);
    await store.pins.saw("s", [C]);
    await decideApproval(store, {
      server: "s",
      state: "approved",
      name: "c",
      author: { actor: "user x", caller: NAME },
      source: "cli",
    });
    await store.consoleSessions.add(session({ caller: NAME, about: NAME }), BOUNDS, "");
    return { at, store };
  };

  it("takes out what records have about a caller, and the chains still verify", async (context) => {
    const { at, store } = await filled(context);
    const before = await recordsAt(at);
    const summary = await closing(await at.reader()).summary({});
    const done = await erase(at);
    expect(done).toMatchObject({ records: 61, unsalted: 0, approvals: 1, console_sessions: 1 });
    const after = await recordsAt(at);
    const text = JSON.stringify(after);
    for (const gone of [SECRET, NAME, SESSION]) expect(text).not.toContain(gone);
    expect(after.filter(({ caller }) => caller === "bob")).toEqual(
      before.filter(({ caller }) => caller === "bob"),
    );
    const hashes = (of: readonly ActivityRecord[]) =>
      of.map(({ id, hash, prev_hash }) => [id, hash, prev_hash]);
    expect(hashes(after).slice(0, before.length)).toEqual(hashes(before));
    const erasures = after.filter(({ erasures: of }) => of !== undefined);
    expect(
      erasures.map(({ caller, reason, given_reason: why }) => [caller, `${reason}: ${why}`]),
    ).toEqual([
      [
        "admin",
        `erased what 50 records had about one caller (erasure ${done.erasure}): request 17`,
      ],
      [
        "admin",
        `erased what 11 records had about one caller (erasure ${done.erasure}): request 17`,
      ],
    ]);
    // The counts stay.
    const { calls, rules } = await closing(await at.reader()).summary({});
    expect({ calls, rules }).toEqual({ calls: summary.calls, rules: summary.rules });
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 61, approvals: 2 });
    // The running gateway continues.
    await store.append([CALL_OF_HIM, CALL_OF_HER]);
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 61 });
    expect(await erase(at)).toMatchObject({ records: 1 });
    expect(
      await erase(at, {
        subject: { caller: "admin" },
        author: { actor: "user admin", caller: "admin" },
      }),
    ).toMatchObject({
      records: 3,
    });
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 65 });
  });

  it("leaves nothing in any table", long, async (context) => {
    const { at, store } = await filled(context);
    const tables = await at.query(
      at.kind === "SQLite"
        ? "SELECT name FROM sqlite_master WHERE type = 'table'"
        : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'touchstone'",
    );
    expect(tables.length).toBeGreaterThan(10);
    const dumped = async (): Promise<string> => {
      const texts: string[] = [];
      for (const { name } of tables as readonly { readonly name: string }[]) {
        for (const row of await at.query(`SELECT * FROM "${name}"`)) {
          const values = Object.values(row as object).map((value) =>
            value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
          );
          texts.push(`${name}: ${values.join(" ")}`);
        }
      }
      return texts.join("\n");
    };
    // Reading creates rollups and bookmarks from the records.
    await closing(await at.reader()).summary({});
    const before = await dumped();
    for (const there of [SECRET, NAME, SESSION]) expect(before).toContain(there);
    await erase(at);
    await erase(at, { subject: { session: SESSION } });
    const after = await dumped();
    for (const gone of [SECRET, NAME, SESSION]) expect(after).not.toContain(gone);
    await store.append([CALL_OF_HIM]);
    expect(await dumped()).toContain("soup");
  });

  it("takes out a session, by its hash or id, and counts first with a dry run", async (context) => {
    const { at } = await filled(context);
    const before = await recordsAt(at);
    const subject = { session: SESSION };
    expect(await erase(at, { subject, dryRun: true })).toMatchObject({
      records: 60,
      erasure: null,
    });
    expect(await recordsAt(at)).toEqual(before);
    expect(await erase(at, { subject })).toMatchObject({ records: 60 });
    const text = JSON.stringify((await recordsAt(at)).filter(({ type }) => type === "tool_call"));
    expect(text).not.toContain(SECRET);
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 60 });
  });

  for (const [some, options] of split(
    [
      [
        "a mark on a record that nobody erased",
        `UPDATE activity SET extra = '{"erased":true}' WHERE caller = 'bob'`,
      ],
      [
        "a change of an erased record",
        "UPDATE activity SET tool = 'other' WHERE extra LIKE '%erased\":true%'",
      ],
      [
        "a status of an erased record",
        "UPDATE activity SET status = 'blocked' WHERE extra LIKE '%erased\":true%'",
      ],
    ] as const,
    1,
  ))
    it.for(some)("does not hide %s", options, async ([_what, change], context) => {
      const { at } = await filled(context);
      await erase(at);
      await at.query(change);
      const { ok, faults } = await verifiedAt(at);
      expect(ok).toBe(false);
      expect(faults).toContainEqual(
        expect.objectContaining({
          message: expect.stringMatching(/no record says that it was left like this/),
        }),
      );
    });

  for (const [some, options] of split(
    [
      ["tool", "UPDATE activity SET tool = 'other' WHERE caller = 'gundula.meierhofer'"],
      ["decision", "UPDATE activity SET decision = 'blocked' WHERE caller = 'gundula.meierhofer'"],
      ["rules", "UPDATE activity SET rules = 'required' WHERE caller = 'gundula.meierhofer'"],
      ["mark", `UPDATE activity SET extra = '{"erased":true}' WHERE caller = 'gundula.meierhofer'`],
      ["shape", "UPDATE activity SET issues = '{' WHERE caller = 'gundula.meierhofer'"],
      ["field", "UPDATE activity SET extra = '[]' WHERE caller = 'gundula.meierhofer'"],
    ] as const,
    1,
  ))
    it.for(some)(
      "erases records whose %s was changed, and does not hide that",
      options,
      async ([_what, change], context) => {
        const { at } = await filled(context);
        await at.query(change);
        const edits = (await verifiedAt(at)).faults.filter(({ kind }) => kind === "edited");
        expect(edits.length).toBeGreaterThan(50);
        expect(await erase(at)).toMatchObject({
          records: 61,
          edited: edits.length,
          remains: REMAINS[at.kind],
        });
        const after = await verifiedAt(at);
        expect(after.faults.map(({ id }) => id)).toEqual(
          expect.arrayContaining(edits.map(({ id }) => id)),
        );
        const rows = JSON.stringify(await at.query("SELECT * FROM activity"));
        for (const gone of [SECRET, NAME, SESSION]) expect(rows).not.toContain(gone);
      },
    );

  it("does not name who erases what there is about themselves", async (context) => {
    const { at } = await filled(context);
    const address = "203.0.113.77";
    const author = { actor: `user ${NAME}`, caller: NAME, address, role: "admin" as const };
    expect(await erase(at, { author })).toMatchObject({ records: 61 });
    const text = JSON.stringify(await recordsAt(at));
    for (const gone of [NAME, address]) expect(text).not.toContain(gone);
  });

  it("ends with the signal's reason, and can be repeated", async (context) => {
    const { at } = await filled(context);
    const eraser = closing(await at.eraser());
    const request = {
      subject: { caller: NAME },
      dryRun: false,
      author: { actor: "x" },
      source: "cli" as const,
    };
    const signal = AbortSignal.abort(new Error("stopping"));
    await expect(eraser.erase(request, { signal })).rejects.toThrow("stopping");
    expect(await eraser.erase(request)).toMatchObject({ records: 61 });
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 61 });
  });

  it("counts records without a salt, as those of earlier releases", async (context) => {
    const at = await open((reason) => context.skip(reason));
    const store = closing(await at.store());
    const { caller: _, arguments: __, result: ___, ...anonymous } = CALL_OF_HER;
    await store.append([anonymous, anonymous, CALL_OF_HER]);
    const salts = (await recordsAt(at)).map(({ salt }) => salt?.length);
    expect(salts).toEqual([undefined, undefined, 22]);
    expect(await erase(at, { subject: { session: SESSION } })).toMatchObject({
      ...{ records: 3, unsalted: 2 },
    });
    expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 3 });
  });
});

it("leaves nothing in the database, its log and journals, also of a running gateway", async () => {
  const [, open] = SQLITE;
  const at = await open(() => {
    throw new Error("SQLite needs no server");
  });
  const { dataDir } = at.at as { dataDir: string };
  const store = await openActivityStore({ dataDir, sync: "normal", bodies: BODIES });
  await store.append([CALL_OF_HER, CALL_OF_HIM]);
  // The records are in the database, and still in the journal of the process.
  await closing(await at.reader()).list({ limit: 1, offset: 0 });
  for (let n = 0; n < 300; n += 1) await store.append([CALL_OF_HER]);
  await store.pins.firstUse("s", "tool", [pinned("a", "{}")]);
  const holds = (text: string) =>
    readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));
  expect(holds(SECRET)).not.toEqual([]);
  expect(await erase(at)).toMatchObject({ records: 301, remains: [] });
  for (const gone of [SECRET, NAME, SESSION]) expect(holds(gone)).toEqual([]);
  expect(holds("soup")).not.toEqual([]);
  await store.append([CALL_OF_HIM]);
  expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 301 });
  await store.close();
  expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 301 });
});

it("leaves nothing in PostgreSQL's statistics, nor in its files after VACUUM FULL", async (context) => {
  const at = await POSTGRES[1]((reason) => context.skip(reason));
  const store = closing(await at.store({ bodies: BODIES }));
  // Too long for a row, and too random to be compressed: PostgreSQL keeps it in a table of its own (TOAST).
  const long = `${SECRET}${randomBytes(6_000).toString("base64")}${SECRET}`;
  const call = { ...CALL_OF_HER, arguments: bytes({ dish: long }) };
  for (let n = 0; n < 40; n += 1) await store.append([call, CALL_OF_HIM]);
  await store.pins.firstUse("s", "tool", [A]);
  await store.pins.saw("s", [C]);
  const author = { actor: "user x", caller: NAME };
  await decideApproval(store, { server: "s", state: "approved", name: "c", author, source: "cli" });
  // Autovacuum does this from time to time.
  for (const table of ["activity", "pins"]) await at.query(`ANALYZE ${table}`);
  const known = async (): Promise<string> =>
    JSON.stringify(await at.query("SELECT * FROM pg_stats WHERE schemaname = 'touchstone'"));
  const holding = async (text: string): Promise<readonly unknown[]> => {
    await at.query("CHECKPOINT");
    return at.query(
      `WITH of AS (SELECT format('base/%s/', oid) AS place FROM pg_database WHERE datname = current_database())
       SELECT file FROM of, pg_ls_dir(place) AS file
       WHERE position('${text}'::bytea in pg_read_binary_file(place || file, true)) > 0`,
    );
  };
  for (const there of [SECRET, NAME, SESSION]) {
    expect(await known()).toContain(there);
    expect(await holding(there)).not.toEqual([]);
  }
  expect(await erase(at)).toMatchObject({ records: 41, approvals: 1, remains: REMAINS.PostgreSQL });
  for (const gone of [SECRET, NAME, SESSION]) expect(await known()).not.toContain(gone);
  for (const table of [
    "activity",
    "pins",
    "requests",
    "console_sessions",
    "saved_views",
    "caller_rollup",
    "pg_catalog.pg_statistic",
  ]) {
    await at.query(`VACUUM FULL ${table}`);
  }
  for (const gone of [SECRET, NAME, SESSION]) expect(await holding(gone)).toEqual([]);
  expect(await holding("soup")).not.toEqual([]);
});

it("keeps its records for longer than those that it erased, also of a process with another clock", async () => {
  const [, open] = SQLITE;
  const noSkip = (): never => {
    throw new Error("SQLite needs no server");
  };
  // Runs the code that is loaded on first use.
  const first = await open(noSkip);
  await (await first.store()).close();
  for (const part of [await first.eraser(), await first.pruner()]) await part.close();
  const at = await open(noSkip);
  const { dataDir } = at.at as { dataDir: string };
  // Ids only increase within a process, so this simulates another one.
  vi.resetModules();
  const { openActivityStore: openElsewhere } = await import("../open-sqlite.ts");
  const ahead = new Date(Date.now() + 3_600_000);
  const store = await openElsewhere({ dataDir, sync: "normal", now: () => ahead });
  for (let n = 0; n < 5; n += 1) await store.append([CALL_OF_HER]);
  await store.close();
  expect(await erase(at)).toMatchObject({ records: 5 });
  await closing(await at.pruner()).prune({ maxRecords: 3 });
  expect(await verifiedAt(at)).toMatchObject({ ok: true, erased: 2 });
});

describe("kill -9 in the middle of an erasure", () => {
  const CHILD = fileURLToPath(new URL("../testing/erase-child.mjs", import.meta.url));

  eachOf(
    [
      ["the transaction of the first step", "BEGIN IMMEDIATE", 1],
      ["the first row", 'update "activity"', 1],
      ["a row of the second step", 'update "activity"', 77],
      ["the last row", 'update "activity"', 120],
      ["the file is rewritten", "VACUUM", 1],
      ["the write-ahead log is emptied", "PRAGMA wal_checkpoint(TRUNCATE)", 1],
    ],
    1,
  )("before %s: the chains verify, and it can be repeated", async (_what, statement, count) => {
    const [, open] = SQLITE;
    const at = await open(() => {
      throw new Error("SQLite needs no server");
    });
    const { dataDir } = at.at as { dataDir: string };
    const store = closing(await openActivityStore({ dataDir, sync: "normal", bodies: BODIES }));
    const three = [CALL_OF_HER, CALL_OF_HIM, CALL_OF_HER];
    await store.append(Array.from({ length: 60 }, () => three).flat());
    const program = [CHILD, join(dataDir, "activity.db"), NAME, statement, String(count)];
    const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    const output: string[] = [];
    child.stdout.on("data", (chunk) => output.push(String(chunk)));
    const [, signal] = await once(child, "close");
    expect([output.join(""), signal]).toEqual(["", "SIGKILL"]);

    const { ok, erased = 0, faults } = await verifiedAt(at);
    expect({ ok, faults }).toEqual({ ok: true, faults: [] });
    const { records, remains } = await erase(at);
    expect(remains).toEqual([]);
    expect(erased + records).toBe(120);
    expect(await verifiedAt(at)).toMatchObject({ ok: true, faults: [], erased: 120 });
    const holding = (text: string) =>
      readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));
    for (const gone of [SECRET, NAME, SESSION]) expect(holding(gone)).toEqual([]);
    expect((await recordsAt(at)).filter(({ caller }) => caller === "bob")).toHaveLength(60);
  });
});
