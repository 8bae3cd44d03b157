import { once } from "node:events";
import { Agent, createServer, request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { freePort } from "../../util/src/testing/free-port.ts";
import type { GatewayConfig } from "./config/config.ts";
import { parseConfig } from "./config/load.ts";
import { LiveRecords } from "./server/live-records.ts";
import { FAULTY_SERVER, SCRIPTED_SERVER } from "./testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { initialize, post, request } from "./testing/http.ts";

const require = createRequire(import.meta.url);
const everythingPath = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const config = (content: object): GatewayConfig =>
  parseConfig(JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...content }), {
    file: "touchstone.json",
    env: {},
  });

let touchstone: TestGateway;
beforeEach(async () => {
  touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
});
afterEach(() => touchstone.close());

async function connect(server = "faulty", url = touchstone.url(server)): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}
const freeAddress = async (): Promise<string> => `127.0.0.1:${await freePort()}`;
const badCall = { name: "get_weather", arguments: { city: "Berlin" } };

describe("a changed configuration", () => {
  it("changes the mode of an open session without restarting its server", async () => {
    const client = await connect();
    expect(
      (await client.callTool({ name: "get_weather", arguments: { city: 1 } })).isError,
    ).not.toBe(true);
    const strict = { mcpServers: { faulty: FAULTY }, input_validation: { mode: "strict" } };
    expect(await touchstone.gateway.reload(config(strict))).toEqual(["faulty has new settings"]);
    const { isError } = await client.callTool({ name: "get_weather", arguments: { city: 1 } });
    expect(isError).toBe(true);
    await client.close();
    const changes = await touchstone.records({ type: "config_change" });
    expect(changes.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^faulty has new settings; configuration sha256:[0-9a-f]{64}$/),
    ]);
  });

  it("reports success even if the change cannot be recorded", async () => {
    const disk = vi.spyOn(LiveRecords.prototype, "append");
    disk.mockRejectedValueOnce(new Error("the disk is full"));
    const strict = { mcpServers: { faulty: FAULTY }, input_validation: { mode: "strict" } };
    expect(await touchstone.gateway.reload(config(strict))).toEqual(["faulty has new settings"]);
    disk.mockRestore();
    const line = await touchstone.line(
      /the configuration has changed, and that could not be recorded/,
    );
    expect(line).toMatch(/error.*the disk is full/);
  });

  it("adds and removes servers", async () => {
    const client = await connect();
    const changes = await touchstone.gateway.reload(config({ mcpServers: { other: FAULTY } }));
    expect(changes).toEqual(["other is new", "faulty is gone"]);
    expect([...touchstone.gateway.urls.keys()]).toEqual(["other"]);
    await expect(client.callTool(badCall)).rejects.toThrow(/Nothing is served/);
    const other = await connect("other");
    expect((await other.listTools()).tools.length).toBeGreaterThan(0);
    await other.close();
  });

  it("ends the streams of clients without the new API key, and answers pending requests", async () => {
    const args = [SCRIPTED_SERVER, "--on", "tools/call=ask:ping"];
    const mcpServers = { asking: { command: process.execPath, args } };
    await touchstone.gateway.reload(config({ mcpServers }));
    const url = touchstone.url("asking");
    const session = await initialize(url);
    const key = { "x-api-key": "new" };
    const stream = (headers = {}) =>
      fetch(url, { headers: { accept: "text/event-stream", ...session, ...headers } });
    const opened = [await stream(), await fetch(new URL("/api/v1/activity/events", url))];
    expect(opened.map(({ status }) => status)).toEqual([200, 200]);
    const over = Promise.allSettled(opened.map((response) => response.text()));
    const call = post(url, request(5, "tools/call", { name: "work" }), session);
    await vi.waitFor(() => expect(touchstone.gateway.underWay).toBe(1), 20_000);
    await touchstone.gateway.reload(config({ mcpServers, auth: { api_key: "new" } }));
    await over;
    expect((await stream()).status).toBe(401);
    const again = await stream(key);
    expect(again.status).toBe(200);
    await post(url, { jsonrpc: "2.0", id: "ask-1", result: {} }, { ...session, ...key });
    expect((await call).text).toContain('"id":5');
    await again.body?.cancel();
  });

  it("restarts a server whose command changed, after its pending responses", long, async () => {
    const everything = { command: process.execPath, args: [everythingPath] };
    await touchstone.gateway.reload(config({ mcpServers: { faulty: everything } }));
    const client = await connect();
    const slow = { name: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 2 } };
    let begun: (() => void) | undefined;
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const called = client.callTool(slow, { onprogress: () => begun?.() });
    await first;
    const anew = config({ mcpServers: { faulty: FAULTY } });
    expect(await touchstone.gateway.reload(anew)).toEqual(["faulty is restarted"]);
    expect(JSON.stringify(await called)).toContain("completed");
    const again = await connect();
    expect((await again.listTools()).tools.length).toBeGreaterThan(0);
    await again.close();
  });

  it("lets a client answer a request from a server that is being removed", async () => {
    const args = [SCRIPTED_SERVER, "--on", "tools/call=ask:roots/list"];
    const asking = { command: process.execPath, args };
    await touchstone.gateway.reload(config({ mcpServers: { asking } }));
    const url = touchstone.url("asking");
    const headers = await initialize(url);
    const called = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(request(7, "tools/call", { name: "work" })),
    });
    const anew = config({ mcpServers: { asking: { ...asking, env: { A: "b" } } } });
    expect(await touchstone.gateway.reload(anew)).toEqual(["asking is restarted"]);
    // New messages go to the current server process, which does not know this session.
    expect((await post(url, request(8, "ping"), headers)).status).toBe(404);
    const told = { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } };
    expect((await post(url, told, headers)).status).toBe(202);
    expect(await called.text()).toMatch(/"id":7,"result"/);
  });

  it("changes nothing and leaves no record if it is the same", async () => {
    expect(await touchstone.gateway.reload(config({ mcpServers: { faulty: FAULTY } }))).toEqual([]);
    expect(await touchstone.records({ type: "config_change" })).toEqual([]);
  });

  it("that adds an API key requires it at once", async () => {
    const url = touchstone.url("faulty");
    const changed = config({ mcpServers: { faulty: FAULTY }, auth: { api_key: "k" } });
    expect(await touchstone.gateway.reload(changed)).toEqual(["an API key is required"]);
    expect((await fetch(url, { method: "POST" })).status).toBe(401);
  });

  it("moves to another address and closes the old one", async () => {
    const before = touchstone.url("faulty");
    const address = await freeAddress();
    const moved = config({ mcpServers: { faulty: FAULTY }, listen: { address } });
    expect(await touchstone.gateway.reload(moved)).toEqual([`listens on ${address}`]);
    await expect(fetch(before)).rejects.toThrow();
    await (await connect()).close();
  });

  it("that moves to another address answers pending requests at the old one", long, async () => {
    const node = (...args: string[]) => ({ command: process.execPath, args });
    const asking = node(SCRIPTED_SERVER, "--on", "tools/call=ask:roots/list");
    const mcpServers = { slow: node(everythingPath), asking };
    await touchstone.gateway.reload(config({ mcpServers }));
    const [slow, ask] = [touchstone.url("slow"), touchstone.url("asking")];
    const inSlow = await initialize(slow);
    const inAsking = await initialize(ask);
    const connection = () => new Agent({ keepAlive: true, maxSockets: 1 });
    const [one, two] = [connection(), connection()];
    /** Sends a request on one connection, after the earlier requests on it. */
    const send = (agent: Agent, url: string, body: object, headers: Record<string, string>) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const type = { "content-type": "application/json", accept: "application/json" };
        const sent = httpRequest(url, { agent, method: "POST", headers: { ...type, ...headers } });
        sent.once("error", reject).end(JSON.stringify(body));
        sent.once("response", async (response) => {
          const parts: Buffer[] = [];
          for await (const chunk of response) parts.push(chunk as Buffer);
          resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() });
        });
      });
    const called = post(ask, request(7, "tools/call", { name: "work" }), inAsking);
    const long = { name: "trigger-long-running-operation", arguments: { duration: 2, steps: 1 } };
    const also = [one, two].map((agent, i) =>
      send(agent, slow, request(i, "tools/call", long), inSlow),
    );
    await expect.poll(() => touchstone.gateway.underWay, { interval: 5 }).toBe(3);
    const late = send(one, slow, request(9, "tools/list"), inSlow);

    const moved = config({ mcpServers, listen: { address: await freeAddress() } });
    expect((await touchstone.gateway.reload(moved))[0]).toMatch(/^listens on /);
    await expect(fetch(slow)).rejects.toThrow();
    for (const call of also) expect((await call).text).toContain("completed");
    expect(await late).toMatchObject({
      status: 503,
      text: expect.stringMatching(/"id":9,.*listens at another address/),
    });
    const told = { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } };
    expect((await send(two, ask, told, inAsking)).status).toBe(202);
    expect((await called).messages.at(-1)).toContain('"id":7,"result"');
    const there = await post(touchstone.url("slow"), request(1, "tools/list"), inSlow);
    expect(there.status).toBe(200);
    one.destroy();
    two.destroy();
  });

  it("that moves and adds a key requires it at the old address too", long, async () => {
    const args = [SCRIPTED_SERVER, "--on", "tools/call=ask:roots/list"];
    const mcpServers = { asking: { command: process.execPath, args } };
    await touchstone.gateway.reload(config({ mcpServers }));
    const url = touchstone.url("asking");
    const session = await initialize(url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = { ...session, "content-type": "application/json", accept: "application/json" };
    const called = httpRequest(url, { agent, method: "POST", headers: call });
    called.end(JSON.stringify(request(7, "tools/call", { name: "work" })));
    const answered = once(called, "response");
    const [{ headers }] = await answered;
    expect(headers["content-type"]).toBe("text/event-stream");
    const other = post(url, request(8, "tools/call", { name: "work" }), session);
    await expect.poll(() => touchstone.gateway.underWay, { interval: 5 }).toBe(2);
    // Sent on the same connection, after the call.
    const late = httpRequest(new URL("/api/v1/activity", url), { agent }).end();
    const read = once(late, "response");
    const moved = { mcpServers, listen: { address: await freeAddress() }, auth: { api_key: "k" } };
    await touchstone.gateway.reload(config(moved));
    const answer = (id: string) =>
      post(
        touchstone.url("asking"),
        { jsonrpc: "2.0", id, result: { roots: [] } },
        { ...session, "x-api-key": "k" },
      );
    await answer("ask-1");
    for await (const _ of (await answered)[0]);
    expect((await read)[0].statusCode).toBe(401);
    await answer("ask-2");
    expect((await other).text).toContain('"id":8,"result"');
    agent.destroy();
  });

  it("is refused as a whole if its address is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    const bad = config({ mcpServers: { other: FAULTY }, listen: { address } });
    await expect(touchstone.gateway.reload(bad)).rejects.toThrow(/port is in use/);
    taken.close();
    expect([...touchstone.gateway.urls.keys()]).toEqual(["faulty"]);
    await (await connect()).close();
  });
});
