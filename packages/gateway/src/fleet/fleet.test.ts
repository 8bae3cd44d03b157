import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseActivityFilter } from "../activity/filter.ts";
import { openPostgresReader } from "../activity/postgres/open.ts";
import type { ActivityRecord } from "../activity/record.ts";
import { startPostgres, type TestServer } from "../activity/testing/postgres.ts";
import { parseConfig } from "../config/load.ts";
import { createLogger } from "../log.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { modern, post, startHttpUpstream } from "../testing/http.ts";
import type { Fleet } from "./gateways.ts";
import { Membership } from "./membership.ts";
import { readGateways } from "./read-gateways.ts";

let postgres: TestServer | string = "not started";
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(async () => {
  if (typeof postgres !== "string") await postgres.stop();
}, 60_000);

type Skip = (reason: string) => never;

function database(skip: Skip): Promise<string> {
  return typeof postgres === "string"
    ? skip(`PostgreSQL does not start: ${postgres}`)
    : postgres.database();
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET search_path TO touchstone`);
  await client.query(sql);
  await client.end();
}

async function records(url: string, type: string): Promise<readonly ActivityRecord[]> {
  const reader = await openPostgresReader({ url });
  const page = await reader.list(parseActivityFilter({ type, limit: "1000" }, new Date()));
  await reader.close();
  return page.activities;
}

async function start(config: object): Promise<TestGateway> {
  const gateway = await startTestGateway(config);
  onTestFinished(() => gateway.close());
  return gateway;
}

const SERVERS = { mcpServers: { web: { url: "http://127.0.0.1:1/mcp" } } };

describe("gateways that share a store", () => {
  it("know each other, and who has another configuration", async ({ skip }) => {
    const store = await database(skip);
    expect(await readGateways(store)).toEqual([]);
    const config = { ...SERVERS, activity: { store } };
    const one = await start(config);
    await start(config);
    const other = await start({ ...config, input_validation: { mode: "strict" } });
    const known = async (): Promise<Fleet & { shared: boolean }> => {
      const base = `http://127.0.0.1:${one.gateway.port}/api/v1`;
      const answer = await fetch(`${base}/gateways`);
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const fleet = await known();
    expect(fleet).toMatchObject({ shared: true, majority: fleet.configuration });
    expect(fleet.gateways).toHaveLength(3);
    const differing = () => fleet.gateways.filter(({ differs }) => differs);
    expect(differing()).toMatchObject([
      { listen: `127.0.0.1:${other.gateway.port}`, state: "running" },
    ]);
    const starts = await records(store, "system_start");
    expect(starts.map(({ reason }) => reason).sort()).toEqual(
      fleet.gateways.map(({ configuration }) => `serve; configuration ${configuration}`).sort(),
    );
    // One that changes tells so, and leaves a record of what it has now.
    const text = JSON.stringify({ ...config, listen: { address: "127.0.0.1:0" } });
    await other.gateway.reload(parseConfig(text, { file: "touchstone.json", env: {} }));
    await expect
      .poll(async () => (await known()).gateways.some(({ differs }) => differs))
      .toBe(false);
    const [change] = await records(store, "config_change");
    expect(change?.reason).toMatch(new RegExp(`; configuration ${fleet.configuration}$`));
    await other.gateway.close();
    expect((await known()).gateways).toHaveLength(2);
  }, 60_000);

  it("are told of for a minute after they were killed, and then as silent", async ({ skip }) => {
    const store = await database(skip);
    const touchstone = await start({ ...SERVERS, activity: { store } });
    const states = async () => (await readGateways(store)).map(({ state }) => state);
    expect(await states()).toEqual(["running"]);
    await query(store, "UPDATE gateways SET seen = seen - interval '61 seconds'");
    expect(await states()).toEqual(["silent"]);
    await query(store, "UPDATE gateways SET seen = seen - interval '1 day'");
    expect(await states()).toEqual([]);
    await touchstone.close();
  }, 60_000);

  it("tell of themselves again after the store was away", async ({ skip }) => {
    const store = await database(skip);
    const lines: string[] = [];
    const changed: unknown[] = [];
    // Makes the tables.
    await start({ ...SERVERS, activity: { store } });
    const self = { version: "1", configuration: "sha256:x", listen: "127.0.0.1:1" };
    const membership = new Membership({
      store,
      self: () => self,
      listChanged: (scope) => changed.push(scope),
      log: createLogger((line) => lines.push(line), "debug"),
      heartbeatMs: 20,
    });
    await membership.join();
    const mine = async () => (await readGateways(store)).find(({ id }) => id === membership.id);
    expect(await mine()).toMatchObject(self);
    await query(store, "ALTER TABLE gateways RENAME TO gone");
    await expect.poll(() => lines.filter((line) => line.includes("do not hear"))).toHaveLength(1);
    await query(store, "ALTER TABLE gone RENAME TO gateways; DELETE FROM gateways");
    await expect
      .poll(() => lines.some((line) => line.includes("hear of this one again")))
      .toBe(true);
    expect(await mine()).toMatchObject(self);
    // Whatever was told in between went unheard.
    expect(changed).toContain(undefined);
    const before = changed.length;
    await query(
      store,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND query LIKE 'INSERT INTO gateways%'`,
    );
    await expect.poll(() => changed.length).toBeGreaterThan(before);
    await membership.leave();
    expect(await mine()).toBeUndefined();
    expect(lines.join("")).not.toContain("secret-password");
  }, 60_000);

  it("report a change of a list once, and all judge by it", async ({ skip }) => {
    const store = await database(skip);
    const lists = { asked: 0, type: "integer" };
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const inputSchema = { type: "object", properties: { n: { type: lists.type } } };
      if (method === "tools/list") lists.asked += 1;
      const result =
        method === "tools/list"
          ? {
              resultType: "complete",
              tools: [{ name: "work", inputSchema }],
              ttlMs: 600_000,
              cacheScope: "public",
            }
          : { resultType: "complete", content: [] };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    onTestFinished(() => upstream.close());
    const config = {
      activity: { store },
      input_validation: { mode: "strict" },
      mcpServers: { web: { url: upstream.url } },
    };
    const gateways = await Promise.all([start(config), start(config), start(config)]);
    const send = async (gateway: TestGateway, method: string, params = {}) => {
      const { body, headers } = modern(method, params);
      return post(gateway.url("web"), body, headers);
    };
    const call = (gateway: TestGateway) =>
      send(gateway, "tools/call", { name: "work", arguments: { n: "text" } });
    // None of them saw a list: each asks for it.
    for (const gateway of gateways) expect((await call(gateway)).text).toContain('"isError":true');
    expect(lists.asked).toBe(3);
    expect(await records(store, "schema_change")).toEqual([]);

    lists.type = "string";
    const [first, ...others] = gateways;
    if (first === undefined) throw new Error("no gateway");
    await send(first, "tools/list");
    for (const gateway of others) {
      await expect.poll(async () => (await call(gateway)).text).not.toContain("isError");
    }
    const [change, ...more] = await records(store, "schema_change");
    expect([change?.tool, more]).toEqual(["work", []]);
    // They do not go on asking.
    const { asked } = lists;
    for (const gateway of others) await call(gateway);
    expect(lists.asked).toBe(asked);
  }, 60_000);

  it("judge the results of tasks that another one has seen begin", async ({ skip }) => {
    const store = await database(skip);
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const tools = [{ name: "work", inputSchema: schema, outputSchema: schema }];
    const answers: Record<string, object> = {
      "tools/list": { tools, ttlMs: 600_000, cacheScope: "public" },
      "tools/call": { resultType: "task", taskId: "t-1", status: "working", ttlMs: 1 },
    };
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const done = { content: [], structuredContent: { n: "no integer" } };
      const finished = { taskId: "t-1", status: "completed", ttlMs: 1, result: done };
      const result = { resultType: "complete", ...(answers[method] ?? finished) };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    onTestFinished(() => upstream.close());
    const config = {
      activity: { store },
      output_validation: { mode: "strict" },
      mcpServers: { web: { url: upstream.url } },
    };
    const [one, other] = await Promise.all([start(config), start(config)]);
    const begin = modern("tools/call", { name: "work", arguments: {} });
    const begun = await post(one.url("web"), begin.body, begin.headers);
    expect(begun.text).toContain('"taskId":"t-1"');
    const ask = modern("tasks/get", { taskId: "t-1" });
    const got = await post(other.url("web"), ask.body, ask.headers);
    expect(JSON.parse(got.text)).toMatchObject({
      result: { status: "completed", result: { isError: true } },
    });
    expect(got.text).not.toContain("no integer");
    const [decision] = await records(store, "policy_decision");
    const [called, ...more] = await records(store, "tool_call");
    expect(more).toEqual([]);
    expect(decision).toMatchObject({ tool: "work", request_id: called?.request_id });
    // What nobody announced is not judged, as by a single gateway.
    const unknown = modern("tasks/get", { taskId: "t-2" });
    const passed = await post(other.url("web"), unknown.body, unknown.headers);
    expect(passed.text).toContain("no integer");
  }, 60_000);
});

it("a gateway whose store is its own knows of no others", async () => {
  const touchstone = await start(SERVERS);
  const answer = await fetch(`http://127.0.0.1:${touchstone.gateway.port}/api/v1/gateways`);
  expect(await answer.json()).toEqual({ shared: false, gateways: [] });
});
