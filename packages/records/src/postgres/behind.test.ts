import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../testing/databases.ts";
import { CALL } from "../testing/fixtures.ts";
import { verifyActivity } from "../verify/verify.ts";
import { openPostgresStore } from "./open.ts";

const database = useDatabases();

/** A store with three records, a list of the losses that it reports, and a client of the database's owner. */
async function recorded(url: string) {
  const lost: number[] = [];
  const store = await openPostgresStore({ url, lost: (records) => lost.push(records) });
  const owner = new pg.Client(url);
  await owner.connect();
  onTestFinished(async () => {
    await owner.end();
    await store.close();
  });
  for (let i = 0; i < 3; i += 1) await store.append([CALL]);
  /** Ends the store's connections so that an append fails, and runs the statements. */
  const afterFailure = async (...statements: readonly string[]): Promise<void> => {
    await owner.query("ALTER TABLE touchstone.activity RENAME TO away");
    await expect(store.append([CALL])).rejects.toThrow();
    await owner.query("ALTER TABLE touchstone.away RENAME TO activity");
    for (const statement of statements) await owner.query(statement);
  };
  return { store, lost, owner, afterFailure };
}

describe("a database that lost records", () => {
  it("is reported once, and the chain continues after the gap", async ({ skip }) => {
    const { store, lost, owner, afterFailure } = await recorded(await database(skip));
    const { rows } = await owner.query("SELECT hash FROM touchstone.activity WHERE seq = 0");
    // The state of a standby that took over before it had all records.
    await afterFailure(
      "DELETE FROM touchstone.activity WHERE seq > 0",
      `UPDATE touchstone.chains SET records = 1, head = '${rows[0]?.hash}'`,
    );
    await store.append([CALL]);
    await store.append([CALL]);
    expect(lost).toEqual([2]);
    const { ok, records, faults } = await verifyActivity(store);
    expect({ ok, records }).toEqual({ ok: false, records: 3 });
    expect(faults).toMatchObject([{ chain: store.chain, kind: "removed", position: 1, until: 3 }]);
    await afterFailure();
    await store.append([CALL]);
    expect(lost).toEqual([2]);
  });

  it("is reported once even if it fails again", async ({ skip }) => {
    const { store, lost, afterFailure } = await recorded(await database(skip));
    await afterFailure("DELETE FROM touchstone.activity", "DELETE FROM touchstone.chains");
    await afterFailure();
    await store.append([CALL]);
    expect(lost).toEqual([3]);
  });

  it("is reported even if the whole chain is lost", async ({ skip }) => {
    const { store, lost, afterFailure } = await recorded(await database(skip));
    await afterFailure("DELETE FROM touchstone.activity", "DELETE FROM touchstone.chains");
    await store.append([CALL]);
    expect(lost).toEqual([3]);
    expect((await verifyActivity(store)).ok).toBe(false);
  });
});

it("reports nothing if no record is missing", async ({ skip }) => {
  const { store, lost, afterFailure } = await recorded(await database(skip));
  await afterFailure();
  await store.append([CALL]);
  expect(lost).toEqual([]);
  expect(await verifyActivity(store)).toMatchObject({ ok: true, records: 4 });
});
