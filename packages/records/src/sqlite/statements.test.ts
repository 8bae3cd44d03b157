import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DATABASE_FILE, openActivityReader, openActivityStore } from "../open-sqlite.ts";
import { plainQuery } from "../sql/database.ts";
import { CALL } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { connect } from "./connection.ts";
import { createRun, createStatements } from "./statements.ts";

async function recorded(): Promise<string> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([CALL, CALL]);
  await store.close();
  return dataDir;
}

it("prepares a frequent statement only once", async () => {
  const db = connect(join(await recorded(), DATABASE_FILE), "read");
  onTestFinished(() => void db.close());
  const prepare = vi.spyOn(db, "prepare");
  const statement = createStatements(db);
  const often = "SELECT count(*) AS n FROM activity";
  for (let n = 0; n < 300; n += 1) {
    expect(statement(often).all([])).toEqual([{ n: 2 }]);
    expect(statement(`SELECT ${n} AS n`).all([])).toEqual([{ n }]);
  }
  expect(prepare).toHaveBeenCalledTimes(602);
  // A statement that was not used for long is prepared again.
  expect(statement("SELECT 0 AS n").all([])).toEqual([{ n: 0 }]);
  expect(prepare).toHaveBeenCalledTimes(604);
});

it.runIf(process.platform === "linux")(
  "does not leak memory when it answers queries",
  async () => {
    const dataDir = await recorded();
    const reader = await openActivityReader({ dataDir });
    onTestFinished(() => reader?.close());
    const ask = async (times: number): Promise<number> => {
      for (let n = 0; n < times; n += 1) await reader?.list({ server: "s", limit: 1, offset: 0 });
      return process.memoryUsage().rss;
    };
    const before = await ask(500);
    // Without the limit, each statement took 30 kB.
    expect((await ask(4000)) - before).toBeLessThan(60_000_000);
  },
  60_000,
);

it("binds values that would make libsql abort", async () => {
  const db = connect(join(await recorded(), DATABASE_FILE), "read");
  onTestFinished(() => void db.close());
  const run = createRun(db, DATABASE_FILE);
  const bytes = new Uint8Array([0, 255]);
  for (const [value, found] of [
    [true, 1],
    [false, 0],
    [undefined, null],
    ["a\u0000b", "a\u0000b"],
    [1.5, 1.5],
  ]) {
    expect(await run(plainQuery("SELECT ? AS value", [value]))).toEqual([{ value: found }]);
  }
  expect(await run(plainQuery("SELECT hex(?) AS value", [bytes]))).toEqual([{ value: "00FF" }]);
  for (const value of [{}, new Date(), []]) {
    await expect(run(plainQuery("SELECT ?", [value]))).rejects.toThrow(TypeError);
  }
});
