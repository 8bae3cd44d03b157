import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { LAYOUT_VERSION } from "../sql/migrations.ts";
import type { ActivityStore } from "../store.ts";
import { useDatabases } from "../testing/databases.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { verifyActivity } from "../verify/verify.ts";
import { openPostgresPruner, openPostgresReader, openPostgresStore } from "./open.ts";
import { inTransaction, openPool } from "./pool.ts";

const database = useDatabases();

/** Runs statements as the owner of the database. */
async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

function as(url: string, user: string): string {
  const other = new URL(url);
  other.username = user;
  other.password = "pw";
  return other.href;
}

async function opened(url: string): Promise<ActivityStore> {
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return store;
}

/** Creates a user who only has the given rights. */
async function makeUser(url: string, name: string, ...rights: readonly string[]): Promise<string> {
  const user = `${name}_${new URL(url).pathname.slice(1)}`;
  await run(url, `CREATE ROLE ${user} LOGIN PASSWORD 'pw'`);
  for (const right of rights) await run(url, `GRANT ${right} TO ${user}`);
  return as(url, user);
}

const ALL = "ALL TABLES IN SCHEMA touchstone";

describe("a connection that the server ends inside a transaction", () => {
  it("fails that transaction, not the process", async ({ skip }) => {
    const url = await database(skip);
    const pool = openPool(url, { connections: 1, statementMs: 10_000 });
    onTestFinished(() => pool.pool.end());
    const ended = inTransaction(pool.pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const end = new Promise<void>((resolve) => void client.once("end", resolve));
      await run(url, `SELECT pg_terminate_backend(${rows[0]?.pid})`);
      await end;
      await client.query("SELECT 1");
    });
    await expect(ended).rejects.toThrow();
    expect((await pool.pool.query("SELECT 1 AS n")).rows).toEqual([{ n: 1 }]);
  });
});

describe("a user without the right to change the schema", () => {
  it("needs only the right to read to read", async ({ skip }) => {
    const url = await database(skip);
    await (await opened(url)).append([CALL]);
    const user = await makeUser(url, "reads", "USAGE ON SCHEMA touchstone", `SELECT ON ${ALL}`);
    const reader = await openPostgresReader({ url: user });
    onTestFinished(() => reader.close());
    expect(await reader.list(filter())).toMatchObject({ total: 1 });
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, records: 1 });
  });

  it("can write records if the tables exist", async ({ skip }) => {
    const url = await database(skip);
    await (await opened(url)).append([CALL]);
    const rights = ["USAGE ON SCHEMA touchstone", `SELECT, INSERT, UPDATE, DELETE ON ${ALL}`];
    const store = await opened(await makeUser(url, "writes", ...rights));
    await store.append([CALL]);
    expect(await store.list(filter())).toMatchObject({ total: 2 });
  });

  it("is told which right is missing, and how to grant it", async ({ skip }) => {
    const url = await database(skip);
    await (await opened(url)).append([CALL]);
    const reads = await makeUser(url, "reads", "USAGE ON SCHEMA touchstone", `SELECT ON ${ALL}`);
    const pruner = await openPostgresPruner({ url: reads });
    onTestFinished(() => pruner.close());
    await expect(pruner.prune({ maxRecords: 0 })).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringMatching(
        /could not be removed from .*permission denied.*run .*GRANT SELECT, UPDATE, DELETE ON ALL TABLES/,
      ),
    });
    const store = await opened(reads);
    await expect(store.append([CALL])).rejects.toMatchObject({
      message: expect.stringMatching(
        /could not be recorded in .*GRANT SELECT, INSERT, UPDATE, DELETE/,
      ),
    });
    await run(url, `REVOKE SELECT ON touchstone.activity FROM ${new URL(reads).username}`);
    const reader = await openPostgresReader({ url: reads });
    onTestFinished(() => reader.close());
    await expect(reader.list(filter())).rejects.toMatchObject({
      code: "DATABASE_UNREADABLE",
      message: expect.stringMatching(/could not be read from .*GRANT SELECT ON ALL TABLES/),
    });
  });

  it("is told so if the schema has to be changed", async ({ skip }) => {
    const url = await database(skip);
    const plain = await makeUser(url, "plain");
    await expect(openPostgresReader({ url: plain })).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringMatching(
        /tables .* could not be made.*permission denied.*user who may do that/,
      ),
    });
    await opened(url);
    await run(
      url,
      `UPDATE touchstone.version SET layout = ${LAYOUT_VERSION + 1}, reader = ${LAYOUT_VERSION + 1}`,
    );
    const reads = await makeUser(url, "reads", "USAGE ON SCHEMA touchstone", `SELECT ON ${ALL}`);
    await expect(openPostgresReader({ url: reads })).rejects.toMatchObject({
      code: "DATABASE_NEWER",
    });
  });
});

it("reports a full disk as full, not as an unreachable database", async ({ skip }) => {
  const url = await database(skip);
  const store = await opened(url);
  await run(
    url,
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'could not extend file' USING errcode = 'disk_full'; END $$`,
    "CREATE TRIGGER full_disk BEFORE INSERT ON touchstone.activity EXECUTE FUNCTION full_disk()",
  );
  await expect(store.append([CALL])).rejects.toMatchObject({
    code: "WRITE_FAILED",
    message: expect.stringMatching(/could not be recorded in .*could not extend file/),
  });
});

it("reads from a read-only database such as a standby", async ({ skip }) => {
  const url = await database(skip);
  await (await opened(url)).append([CALL]);
  const name = new URL(url).pathname.slice(1);
  await run(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const reader = await openPostgresReader({ url });
  onTestFinished(() => reader.close());
  expect(await reader.list(filter())).toMatchObject({ total: 1 });
  const store = await opened(url);
  await expect(store.append([CALL])).rejects.toMatchObject({ code: "WRITE_FAILED" });
});
