import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import type { TestGateway } from "../testing/gateway.ts";
import { modern, post, startHttpUpstream } from "../testing/http.ts";
import { query, records, startGateway } from "./testing/gateways.ts";

const database = useDatabases();

describe("gateways that share a store", () => {
  it("report a list change once, and all check by the new list", async ({ skip }) => {
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
    const gateways = await Promise.all([
      startGateway(config),
      startGateway(config),
      startGateway(config),
    ]);
    const send = async (gateway: TestGateway, method: string, params = {}) => {
      const { body, headers } = modern(method, params);
      return post(gateway.url("web"), body, headers);
    };
    const call = (gateway: TestGateway) =>
      send(gateway, "tools/call", { name: "work", arguments: { n: "text" } });
    // None of them has seen a list, so each requests it.
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
    // They do not request it repeatedly.
    const { asked } = lists;
    for (const gateway of others) await call(gateway);
    expect(lists.asked).toBe(asked);
  }, 60_000);

  it("refuse calls while the store rejects records, and resume when it recovers", async ({
    skip,
  }) => {
    const store = await database(skip);
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const members = method === "tools/list" ? { tools: [], ttlMs: 600_000 } : { content: [] };
      const result = { resultType: "complete", cacheScope: "public", ...members };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    onTestFinished(() => upstream.close());
    const config = { activity: { store }, mcpServers: { web: { url: upstream.url } } };
    const gateways = await Promise.all([startGateway(config), startGateway(config)]);
    const call = modern("tools/call", { name: "work", arguments: {} });
    const calls = () =>
      Promise.all(gateways.map((gateway) => post(gateway.url("web"), call.body, call.headers)));
    const texts = async () => (await calls()).map(({ text }) => text);
    const ready = () =>
      Promise.all(
        gateways.map(async ({ gateway: { port } }) => {
          return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
        }),
      );
    for (const text of await texts()) expect(text).toContain('"content":[]');
    // Cuts the connections, as in a failover, and makes the store refuse new records.
    await query(store, "ALTER TABLE activity RENAME TO gone");
    await query(
      store,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND datname = current_database()`,
    );
    for (const text of await texts()) expect(text).toContain("could not record this call");
    expect(await ready()).toEqual([503, 503]);
    await query(store, "ALTER TABLE gone RENAME TO activity");
    for (const text of await texts()) expect(text).toContain('"content":[]');
    expect(await ready()).toEqual([200, 200]);
    expect(await records(store, "server_change")).toHaveLength(2);
    expect(await records(store, "tool_call")).toHaveLength(4);
  }, 60_000);

  it("check results of tasks that another gateway saw begin", async ({ skip }) => {
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
    const [one, other] = await Promise.all([startGateway(config), startGateway(config)]);
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
    // The result of a task that no gateway announced cannot be checked.
    const unknown = modern("tasks/get", { taskId: "t-2" });
    const blocked = await post(other.url("web"), unknown.body, unknown.headers);
    expect(blocked.text).toContain("cannot be checked");
    expect(blocked.text).not.toContain("no integer");
  }, 60_000);

  it("know whether a task's schemas were known to the gateway that saw it begin", async ({
    skip,
  }) => {
    const store = await database(skip);
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const answers: Record<string, object> = {
        "tools/call": { resultType: "task", taskId: "t-1", status: "working", ttlMs: 1 },
        "tasks/get": {
          ...{ resultType: "complete", taskId: "t-1", status: "completed", ttlMs: 1 },
          result: { content: [], structuredContent: { n: 1 } },
        },
      };
      const result = answers[method];
      const error = { code: -32603, message: "no list today" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
    });
    onTestFinished(() => upstream.close());
    const config = { activity: { store }, mcpServers: { web: { url: upstream.url } } };
    const [one, other] = await Promise.all([startGateway(config), startGateway(config)]);
    const begin = modern("tools/call", { name: "work", arguments: {} });
    expect((await post(one.url("web"), begin.body, begin.headers)).text).toContain("t-1");
    const ask = modern("tasks/get", { taskId: "t-1" });
    const got = await post(other.url("web"), ask.body, ask.headers);
    expect(got.text).toContain('"n":1');
    const why = expect.stringMatching(/"unavailable".*no list today/);
    expect(await query(store, "SELECT known, gap FROM tasks")).toEqual([
      { known: false, gap: why },
    ]);
    const outcomes = (await records(store, "tool_call")).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["unknown"]);
  }, 60_000);
});
