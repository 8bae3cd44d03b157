import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openActivityReader } from "../../../records/src/open-sqlite.ts";
import { tempDir } from "../../../records/src/testing/temp-dir.ts";
import { verifyActivity } from "../../../records/src/verify/verify.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { initialize, post, request } from "../testing/http.ts";

const SERVERS = { mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } } };

/** A gateway with its own records, and a client of it. */
async function serving(dataDir: string, activity: object = {}) {
  const touchstone = await startTestGateway({ ...SERVERS, activity }, dataDir);
  onTestFinished(() => touchstone.close());
  const url = touchstone.url("faulty");
  const headers = await initialize(url);
  const params = { name: "get_weather", arguments: { city: "Oslo" } };
  return {
    touchstone,
    call: (id: number) => post(url, request(id, "tools/call", params), headers),
    async ready() {
      const answer = await fetch(new URL("/readyz", url));
      return [answer.status, await answer.json()];
    },
  };
}

/** The files of the database, without its journals. */
const databaseOf = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith("activity.db"));

const told = ({ lines }: TestGateway): readonly string[] =>
  lines.filter((line) => line.includes("records cannot be read"));

it("a moved database makes the gateway unready until it is back", async () => {
  const dataDir = tempDir();
  const away = tempDir();
  const { touchstone, call, ready } = await serving(dataDir);
  await call(1);
  expect(await ready()).toMatchObject([200, { status: "ready", records: "kept" }]);
  const files = databaseOf(dataDir);
  for (const name of files) renameSync(join(dataDir, name), join(away, name));
  for (let i = 0; i < 2; i += 1) {
    expect(await ready()).toMatchObject([
      503,
      { status: "records cannot be read", records: "unreadable", servers: { faulty: "running" } },
    ]);
  }
  expect(told(touchstone)).toEqual([
    expect.stringMatching(/touchstone error: .*activity\.db was removed.*restart touchstone/),
  ]);
  // Records of these calls are kept.
  expect((await call(2)).text).toContain('"result"');
  for (const name of files) renameSync(join(away, name), join(dataDir, name));
  expect(await ready()).toMatchObject([200, { status: "ready", records: "kept" }]);
  expect(await touchstone.records({ type: "tool_call" })).toHaveLength(2);
});

it("a removed database is recreated on the next start from the journals that are left", async () => {
  const dataDir = tempDir();
  const { touchstone, call, ready } = await serving(dataDir, { on_write_failure: "continue" });
  await call(1);
  // Now they are in the database.
  expect(await touchstone.records({ type: "tool_call" })).toHaveLength(1);
  for (const name of databaseOf(dataDir)) rmSync(join(dataDir, name));
  expect((await call(2)).text).toContain('"result"');
  expect(await ready()).toMatchObject([200, { status: "ready", records: "unreadable" }]);
  await touchstone.gateway.close();
  const next = await serving(dataDir);
  expect(await next.ready()).toMatchObject([200, { records: "kept" }]);
  await next.call(3);
  // The journal of the previous process exists, with all of its records.
  expect(await next.touchstone.records({ type: "tool_call" })).toHaveLength(3);
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("no records");
  onTestFinished(() => reader.close());
  expect(await verifyActivity(reader)).toMatchObject({ ok: true });
});
