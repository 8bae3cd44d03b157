import { generateKeyPairSync, sign } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "./config/load.ts";
import { SCRIPTED_SERVER } from "./testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { initialize, modern, post, request } from "./testing/http.ts";

let touchstone: TestGateway | undefined;
afterEach(() => touchstone?.close());

function start(...on: string[]): Promise<TestGateway> {
  const args = [SCRIPTED_SERVER, ...on.flatMap((action) => ["--on", action])];
  return startTestGateway({ mcpServers: { one: { command: process.execPath, args } } });
}

const call = (id: number) => request(id, "tools/call", { name: "work", arguments: { n: 1 } });

/** Returns the text of a response as it is received, up to the first match. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  wanted: RegExp,
): Promise<string> {
  let text = "";
  while (!wanted.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended without ${wanted}: ${text}`);
    text += Buffer.from(value).toString();
  }
  return text;
}

describe("a stopping gateway", () => {
  it("refuses a changed configuration, whose servers nothing would stop", async () => {
    touchstone = await start();
    const { gateway } = touchstone;
    const mcpServers = { two: { command: process.execPath, args: [SCRIPTED_SERVER] } };
    const other = { listen: { address: "127.0.0.1:0" }, mcpServers };
    const config = parseConfig(JSON.stringify(other), { file: "touchstone.json", env: {} });
    const closed = gateway.close();
    await expect(gateway.reload(config)).rejects.toThrow(/is ending/);
    await closed;
    await expect(gateway.reload(config)).rejects.toThrow(/is ending/);
    expect([...gateway.urls.keys()]).toEqual(["one"]);
  });

  it("answers pending requests with their clients' help, but accepts nothing new", async () => {
    touchstone = await start("tools/call=ask:roots/list");
    const { gateway } = touchstone;
    const url = touchstone.url("one");
    const at = (path: string): string => new URL(path, url).href;
    expect(await (await fetch(at("/readyz"))).json()).toEqual({
      status: "ready",
      records: "kept",
      servers: { one: "idle" },
    });
    const headers = await initialize(url, undefined, { capabilities: { roots: {} } });
    const accept = "application/json, text/event-stream";
    const answered = await fetch(url, {
      method: "POST",
      headers: { ...headers, accept, "content-type": "application/json" },
      body: JSON.stringify(call(1)),
    });
    const reader = answered.body?.getReader();
    if (reader === undefined) throw new Error("no stream");
    await readUntil(reader, /roots\/list/);
    expect(gateway.underWay).toBe(1);

    const closed = gateway.close({ graceMs: 60_000 });
    await expect
      .poll(async () => (await fetch(at("/readyz"))).status, { timeout: 10_000 })
      .toBe(503);
    expect(await (await fetch(at("/readyz"))).json()).toMatchObject({
      status: "stopping",
      servers: { one: "running" },
    });
    expect((await fetch(at("/healthz"))).status).toBe(200);
    for (const [body, more] of [
      [call(2), headers],
      [[call(3)], headers],
      [request(4, "initialize"), {}],
      [modern("ping").body, modern("ping").headers],
    ] as const) {
      const refused = await post(url, body, more);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(refused.text).toContain("touchstone is stopping");
    }
    const change = await fetch(at("/servers/one/tools/work/call"), { method: "POST" });
    expect([change.status, await change.json()]).toEqual([
      503,
      { error: "touchstone is stopping and accepts no new requests", code: "STOPPING" },
    ]);
    const roots = { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } };
    expect((await post(url, roots, headers)).status).toBe(202);
    expect(await readUntil(reader, /"id":1/)).toContain('"result"');
    await closed;
    await expect(fetch(at("/healthz"))).rejects.toThrow();
    const records = await touchstone.records();
    expect(records.map(({ type, status }) => [type, status])).toEqual([
      ["system_start", null],
      ["tool_call", "success"],
      ["system_stop", null],
    ]);
  });

  it.each(["legacy", "modern"])("stops waiting when told to hurry: %s", async (era) => {
    touchstone = await start("tools/call=silent");
    const url = touchstone.url("one");
    const ask = modern("tools/call", { name: "work", arguments: { n: 1 } });
    const answer =
      era === "modern"
        ? post(url, ask.body, ask.headers)
        : post(url, call(1), await initialize(url));
    const ended = answer.then(({ messages }) => messages);
    await expect.poll(() => touchstone?.gateway.underWay, { timeout: 10_000 }).toBe(1);
    const hurry = new AbortController();
    const closed = touchstone.gateway.close({ graceMs: 60_000, hurry: hurry.signal });
    hurry.abort();
    await closed;
    const message = expect.stringMatching(/^touchstone: the server /);
    expect(JSON.parse((await ended).at(-1) ?? "")).toMatchObject({ id: 1, error: { message } });
    expect(touchstone.lines.join("")).toContain("requests end without their responses: 1");
    const calls = await touchstone.records({ type: "tool_call" });
    expect(calls.map(({ status }) => status)).toEqual(["error"]);
  });

  it.each(["says nothing", "opens a stream"])(
    "answers a client that waits for a remote server that %s",
    async (how) => {
      const server = createServer((_, response) => {
        if (how === "says nothing") return;
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const one = { url: `http://127.0.0.1:${port}/mcp` };
      touchstone = await startTestGateway({ mcpServers: { one } });
      const asked = once(server, "request");
      const { body, headers } = modern("ping");
      const answer = post(touchstone.url("one"), body, headers);
      await asked;
      const hurry = AbortSignal.abort();
      await touchstone.gateway.close({ graceMs: 60_000, hurry });
      const message = "touchstone: the gateway has ended before the server answered";
      const [told = ""] = (await answer).messages;
      expect(JSON.parse(told)).toMatchObject({ id: 1, error: { message } });
    },
  );

  it("does not wait for clients that left before they were admitted", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = keys.publicKey.export({ format: "jwk" });
    // The server answers only after the clients have disconnected.
    const asked: ServerResponse[] = [];
    const issuer = createServer((_, response) => void asked.push(response)).listen(0, "127.0.0.1");
    await once(issuer, "listening");
    onTestFinished(() => void issuer.close());
    const { port } = issuer.address() as AddressInfo;
    const jwt = {
      issuer: "i",
      audience: "a",
      jwks_url: `http://127.0.0.1:${port}/`,
      role: "viewer",
    };
    touchstone = await startTestGateway({ mcpServers: {}, auth: { jwt } });
    const { gateway } = touchstone;
    const encoded = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: "i", aud: "a", sub: "s", exp: Math.floor(Date.now() / 1000) + 600 };
    const text = `${encoded({ alg: "ES256" })}.${encoded(claims)}`;
    const key = { key: keys.privateKey, dsaEncoding: "ieee-p1363" } as const;
    const authorization = `Bearer ${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;

    const left: Promise<unknown>[] = [];
    const leave = (message: unknown): void => {
      const { request, response } = message as {
        request: IncomingMessage;
        response: ServerResponse;
      };
      if (request.headers.authorization !== authorization) return;
      left.push(once(response, "close"));
      request.socket.destroy();
    };
    subscribe("http.server.request.start", leave);
    onTestFinished(() => void unsubscribe("http.server.request.start", leave));
    const paths = ["/", "/tools", "/tools/x", "/servers/x/tools", "/api/v1/activity/events"];
    const options = { port: gateway.port, host: "127.0.0.1", headers: { authorization } };
    for (const path of paths) await once(get({ ...options, path }), "error");
    expect(left).toHaveLength(paths.length);
    await Promise.all(left);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    for (const response of asked) {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [jwk] }));
    }
    await gateway.close();
  });

  it("does not wait for a subscription", async () => {
    touchstone = await start("subscriptions/listen=silent");
    const url = touchstone.url("one");
    const { body, headers } = modern("subscriptions/listen", { notifications: {} });
    const left = new AbortController();
    const listening = post(url, body, headers, left.signal).catch(() => {});
    const state = async () => (await (await fetch(new URL("/readyz", url))).json()).servers.one;
    await expect.poll(state, { timeout: 10_000 }).toBe("starting");
    expect(touchstone.gateway.underWay).toBe(0);
    await touchstone.gateway.close({ graceMs: 60_000 });
    left.abort();
    await listening;
  });
});
