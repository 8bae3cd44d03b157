import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core/advanced";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { ToolContract } from "../../../gateway/src/contracts/contract.ts";
import { listHash } from "../contracts/list-hash.ts";
import { DATABASE_FILE, openActivityStore, openPruner } from "../open-sqlite.ts";
import { ContractTables } from "../sql/contracts/lists.ts";
import type { ActivityStore } from "../store.ts";
import { connect } from "./connection.ts";
import { createDatabase } from "./database.ts";

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

it("reports changes since another process stored the list", async () => {
  const dataDir = directory();
  const first = await open(dataDir);
  const list = [contract("a", "{}", "{}"), contract("b", "{}"), contract("__proto__", "true")];
  expect(await first.contracts.replace(SCOPE, list)).toEqual([]);
  expect(await first.contracts.replace(SCOPE, list)).toEqual([]);
  await first.close();

  const second = await open(dataDir);
  const now = [contract("a", "{ }", "{}"), contract("c"), contract("__proto__", "true")];
  const since = expect.stringMatching(/^\d{4}-[-\d]+T[:.\d]+Z$/);
  expect(await second.contracts.replace(SCOPE, now)).toEqual([
    {
      ...{ tool: "a", kind: "input", inputHash: now[0]?.inputHash, outputHash: now[0]?.outputHash },
      since,
      before: { inputHash: list[0]?.inputHash, outputHash: list[0]?.outputHash },
    },
    { tool: "c", kind: "added", inputHash: undefined, outputHash: undefined, since },
    {
      ...{ tool: "b", kind: "removed", since },
      before: { inputHash: list[1]?.inputHash, outputHash: undefined },
    },
  ]);
  expect(await second.contracts.replace(SCOPE, now)).toEqual([]);
  await second.close();
});

it("reports the first tools of a server whose list was empty", async () => {
  const dataDir = directory();
  const store = await open(dataDir);
  expect(await store.contracts.replace(SCOPE, [])).toEqual([]);
  expect(await store.contracts.replace(SCOPE, [contract("a", "{}")])).toMatchObject([
    { tool: "a", kind: "added" },
  ]);
  expect(await store.contracts.replace(SCOPE, [])).toMatchObject([{ kind: "removed" }]);
  await store.close();
});

it("completes a list that a killed process wrote in part, and removes the remains", async () => {
  const dataDir = directory();
  const store = await open(dataDir);
  const db = new Database(join(dataDir, DATABASE_FILE));
  const own = createDatabase(connect(join(dataDir, DATABASE_FILE), "write"), "activity.db");
  const tables = new ContractTables("sqlite");
  const add = (hash: string, tools: readonly ToolContract[]): Promise<void> =>
    own.write("sweep", (run) => tables.add(run, hash, tools, new Date()));
  const list = [contract("a", "{}", "true"), contract("b", "true"), contract("c")];
  const byName = new Map(list.map((of) => [of.name, of]));
  await add(listHash(byName), list.slice(0, 2));
  await add("another one", [contract("d", "[]")]);
  await own.close();
  expect(await store.contracts.toolNames("srv")).toEqual(new Set());
  expect(await store.contracts.replace(SCOPE, list)).toEqual([]);
  expect(await store.contracts.toolNames("srv")).toEqual(new Set(["a", "b", "c"]));
  const pruner = await openPruner(join(dataDir, DATABASE_FILE));
  await pruner.prune({});
  await pruner.close();
  const count = (table: string): unknown => db.prepare(`SELECT * FROM ${table}`).all([]).length;
  expect(["lists", "list_tools", "schemas"].map(count)).toEqual([1, 3, 2]);
  expect(await store.contracts.replace(SCOPE, list.slice(1))).toMatchObject([{ kind: "removed" }]);
  db.close();
  await store.close();
});

it("keeps a list that another process starts to use during its removal", async () => {
  const dataDir = directory();
  const [one, other] = [await open(dataDir), await open(dataDir)];
  const large = Array.from({ length: 1_000 }, (_, n) => contract(`t${n}`, `"${n}"`));
  const client = { ...SCOPE, authorization: "sha256:1" };
  await one.contracts.replace(SCOPE, large);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([
      one.contracts.replace(SCOPE, round % 2 === 0 ? [] : large),
      other.contracts.replace(client, round % 2 === 0 ? large : []),
    ]);
    const scope = round % 2 === 0 ? client : SCOPE;
    expect(await one.contracts.replace(scope, large)).toEqual([]);
    expect((await one.contracts.toolNames("srv")).size).toBe(1_000);
  }
  for (const store of [one, other]) await store.close();
});

it("keeps servers, revisions and authorizations separate", async () => {
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

it("reports a change once if two processes see it", async () => {
  const dataDir = directory();
  const stores = [await open(dataDir), await open(dataDir)];
  await stores[0]?.contracts.replace(SCOPE, [contract("a", "{}")]);
  const found = await Promise.all(
    stores.map((store) => store.contracts.replace(SCOPE, [contract("a", "true")])),
  );
  expect(found.flat()).toMatchObject([{ tool: "a", kind: "input" }]);
  for (const store of stores) await store.close();
});

it("does not block other work while a large list is written or removed", async () => {
  const store = await open(directory());
  const large = Array.from({ length: 3_000 }, (_, n) => contract(`t${n}`, `"${n}"`));
  const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await work();
    done = true;
    return turns;
  };
  expect(await turnsOf(() => store.contracts.replace(SCOPE, large))).toBeGreaterThan(20);
  expect(await turnsOf(() => store.contracts.replace(SCOPE, []))).toBeGreaterThan(10);
  await store.close();
});
