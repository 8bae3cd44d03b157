import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import type { ActivityStore } from "../store.ts";
import { STEPS } from "./migrations.ts";
import { DATABASE_FILE, openActivityStore } from "./open.ts";

const SCOPE = { server: "srv", revision: "2025-11-25", authorization: "" };
const cache = new SchemaCache();
const contract = (name: string, input?: string, output?: string): ToolContract =>
  new ToolContract(
    {
      name,
      ...(input === undefined ? {} : { inputSchema: Buffer.from(input) }),
      ...(output === undefined ? {} : { outputSchema: Buffer.from(output) }),
    },
    cache,
  );

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-contracts-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
async function open(dataDir: string): Promise<ActivityStore> {
  return openActivityStore({ dataDir, sync: "normal" });
}

it("tells what changed since another process kept the list", async () => {
  const dataDir = directory();
  const first = await open(dataDir);
  const list = [contract("a", "{}", "{}"), contract("b", "{}"), contract("__proto__", "true")];
  expect(await first.contracts.replace(SCOPE, list)).toEqual([]);
  expect(await first.contracts.replace(SCOPE, list)).toEqual([]);
  await first.close();

  const second = await open(dataDir);
  const now = [contract("a", "{ }", "{}"), contract("c"), contract("__proto__", "true")];
  expect(await second.contracts.replace(SCOPE, now)).toEqual([
    { tool: "a", kind: "input", inputHash: now[0]?.inputHash, outputHash: now[0]?.outputHash },
    { tool: "c", kind: "added", inputHash: undefined, outputHash: undefined },
    { tool: "b", kind: "removed", inputHash: list[1]?.inputHash, outputHash: undefined },
  ]);
  expect(await second.contracts.replace(SCOPE, now)).toEqual([]);
  await second.close();
});

it("tells of the first tools of a server whose list was empty", async () => {
  const dataDir = directory();
  const store = await open(dataDir);
  expect(await store.contracts.replace(SCOPE, [])).toEqual([]);
  expect(await store.contracts.replace(SCOPE, [contract("a", "{}")])).toMatchObject([
    { tool: "a", kind: "added" },
  ]);
  expect(await store.contracts.replace(SCOPE, [])).toMatchObject([{ kind: "removed" }]);
  await store.close();
});

it("takes a list that an earlier release kept for one that was kept", async () => {
  const dataDir = directory();
  const db = new Database(join(dataDir, DATABASE_FILE));
  for (const step of STEPS.slice(0, 2)) db.exec(step);
  db.exec("PRAGMA user_version = 2");
  const { server, revision, authorization } = SCOPE;
  db.prepare(
    "INSERT INTO contracts (server, revision, authorization, tool, since) VALUES (?, ?, ?, 'a', '')",
  ).run([server, revision, authorization]);
  db.close();
  const second = await open(dataDir);
  expect(await second.contracts.replace(SCOPE, [])).toMatchObject([{ kind: "removed" }]);
  await second.close();
});

it("keeps servers, revisions and authorizations apart", async () => {
  const store = await open(directory());
  const list = [contract("a", "{}")];
  for (const change of [{}, { server: "x" }, { revision: "" }, { authorization: "sha256:1" }]) {
    expect(await store.contracts.replace({ ...SCOPE, ...change }, list)).toEqual([]);
  }
  expect(await store.contracts.replace({ ...SCOPE, server: "x" }, [])).toMatchObject([
    { kind: "removed" },
  ]);
  expect(await store.contracts.replace(SCOPE, list)).toEqual([]);
  await store.close();
});

it("lets one of two processes tell of a change that both see", async () => {
  const dataDir = directory();
  const stores = [await open(dataDir), await open(dataDir)];
  await stores[0]?.contracts.replace(SCOPE, [contract("a", "{}")]);
  const found = await Promise.all(
    stores.map((store) => store.contracts.replace(SCOPE, [contract("a", "true")])),
  );
  expect(found.flat()).toMatchObject([{ tool: "a", kind: "input" }]);
  for (const store of stores) await store.close();
});
