import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../testing/databases.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { verifyActivity } from "../verify/verify.ts";
import { openPostgresStore } from "./open.ts";

const database = useDatabases();
/** How many wait in this database only, because other tests use the same server. */
const WAITING = `SELECT count(*)::int AS n FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE NOT granted AND datname = current_database()`;
/** Blocks transactions after an insert, until the lock is free. */
const HOLD = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END $$;
  CREATE TRIGGER hold AFTER INSERT ON touchstone.activity EXECUTE FUNCTION hold()`;

/** A proxy to a database that keeps its connection to the server open after the client has disconnected. */
async function keptWay(url: string): Promise<string> {
  const way = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), way.hostname);
    onTestFinished(() => void far.destroy());
    for (const end of [near, far]) end.on("error", () => {});
    near.pipe(far, { end: false });
    far.pipe(near);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  way.port = String((server.address() as AddressInfo).port);
  return way.href;
}

it("writes records after a canceled statement that is still running", {
  ...long,
  timeout: 30_000,
}, async ({ skip }) => {
  const url = await database(skip);
  const store = await openPostgresStore({ url: `${await keptWay(url)}?query_timeout=4000` });
  onTestFinished(() => store.close());
  await store.append([CALL]);
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  const waiting = async (): Promise<unknown> => (await other.query(WAITING)).rows[0]?.n;
  await other.query(HOLD);
  await other.query("SELECT pg_advisory_lock(42)");
  await expect(store.append([CALL])).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  const behind = store.append([CALL]);
  await expect.poll(waiting, { interval: 10, timeout: 3_500 }).toBe(2);
  await other.query("SELECT pg_advisory_unlock(42)");
  await behind;
  expect(await store.list(filter())).toMatchObject({ total: 3 });
  expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 3 });
});
