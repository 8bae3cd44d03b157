import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { long, sample } from "../../../core/src/testing/sample.ts";
import { createLogger } from "../../../util/src/log.ts";
import { parseConfig } from "../config/load.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { initialize, modern, post, request } from "../testing/http.ts";
import { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import { type Listener, listen } from "./listener.ts";

const SERVER = { command: process.execPath, args: [SCRIPTED_SERVER] };

let touchstone: TestGateway | undefined;
let listener: Listener | undefined;
afterEach(async () => {
  await touchstone?.close();
  await listener?.close();
  touchstone = undefined;
  listener = undefined;
});

describe("limits.children", () => {
  it("applies to all servers together, and a session over it is refused and recorded", async () => {
    touchstone = await startTestGateway({
      mcpServers: { one: SERVER, two: SERVER },
      limits: { children: 2 },
    });
    const [one, two] = [touchstone.url("one"), touchstone.url("two")];
    const first = await initialize(one);
    await initialize(two);
    const introduction = request(7, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "late", version: "1" },
    });
    const refused = await post(two, introduction);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(JSON.parse(refused.text)).toMatchObject({
      id: 7,
      error: { message: expect.stringMatching(/2 child processes .*\(limits\.children\)/) },
    });
    const call = modern("tools/call", { name: "work", arguments: { n: 1 } });
    const shared = await post(one, call.body, call.headers);
    expect(JSON.parse(shared.text).error.message).toContain("limits.children");
    const records = await touchstone.records({ status: "rejected" });
    expect(records).toMatchObject([
      { type: "server_change", server: "two", client: "late/1" },
      { type: "tool_call", server: "one", tool: "work" },
    ]);
    for (const { reason } of records) expect(reason).toContain("limits.children");

    await fetch(one, { method: "DELETE", headers: first });
    const begun = await initialize(two);
    expect(begun["mcp-session-id"]).toBeDefined();
  });

  it("can be raised by a new configuration without ending a session", async () => {
    const config = (children: number) => ({ mcpServers: { one: SERVER }, limits: { children } });
    touchstone = await startTestGateway(config(1));
    const url = touchstone.url("one");
    const headers = await initialize(url);
    const text = JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...config(2) });
    const changed = parseConfig(text, { file: "touchstone.json", env: {} });
    expect(await touchstone.gateway.reload(changed)).toEqual(["the limits have changed"]);
    await initialize(url);
    expect((await post(url, request(1, "ping"), headers)).status).toBe(200);
  });
});

describe("a slow or excessive client", () => {
  /** Sends these parts and nothing more; returns everything that is received until the connection ends. */
  async function answerTo(...parts: string[]): Promise<string> {
    listener = await listen({
      host: "127.0.0.1",
      port: 0,
      access: { allowedHosts: [], allowedOrigins: [] },
      maxRequestBytes: 1000,
      endpoints: new Map(),
      app: async (_, response) => void response.end('{"status":"ok"}'),
      times: { header: 50, unread: 100, check: 10 },
      idleMs: 50,
      bodies: new UnfinishedBodies({
        limits: { unfinishedBytes: 1_000_000, requestBytes: 1_000 },
        log: createLogger(() => {}, "silent"),
      }),
      log: createLogger(() => {}, "silent"),
    });
    const socket = connect(listener.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const ended = once(socket, "close");
    socket.on("error", () => {});
    for (const part of parts) socket.write(part);
    await ended;
    return text;
  }

  it("is disconnected with 408 if its header never ends", async () => {
    expect(await answerTo("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")).toMatch(
      /^HTTP\/1\.1 408 /,
    );
  });

  it("is disconnected if its body never ends", async () => {
    const head = "POST /mcp/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    expect(await answerTo(`${head}Content-Length: 100\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 /);
  });

  it("is disconnected if it sends nothing, or nothing more", async () => {
    expect(await answerTo()).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await listener?.close();
    expect(await answerTo("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 .*"ok"\}/s,
    );
  });

  it("gets 431 for a header over 16 KiB", async () => {
    const long = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(17_000)}\r\n\r\n`;
    expect(await answerTo(long)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe.skipIf(process.platform !== "linux")("file descriptors", () => {
  const descriptors = (): number => readdirSync("/proc/self/fd").length;

  it("are released after thousands of calls and dozens of sessions", {
    ...long,
    timeout: 90_000,
  }, async () => {
    touchstone = await startTestGateway({
      // The client keeps a connection as long as the gateway does.
      listen: { address: "127.0.0.1:0", idle_timeout: 2 },
      mcpServers: { one: SERVER },
    });
    const url = touchstone.url("one");
    const call = modern("tools/call", { name: "work", arguments: { n: 1 } });
    const session = async (): Promise<void> => {
      const headers = await initialize(url);
      const left = new AbortController();
      const accept = { ...headers, accept: "text/event-stream" };
      // A stream that its client leaves open, and one that its client closes.
      await fetch(url, { headers: accept, signal: left.signal });
      left.abort();
      await post(url, request(1, "tools/call", { name: "work", arguments: { n: 1 } }), headers);
      await fetch(url, { method: "DELETE", headers });
    };
    const many = async (calls: number, sessions: number): Promise<void> => {
      for (let i = 0; i < calls; i += 20) {
        const group = Array.from({ length: 20 }, () => post(url, call.body, call.headers));
        expect((await Promise.all(group)).every(({ status }) => status === 200)).toBe(true);
      }
      for (let i = 0; i < sessions; i += 4) {
        await Promise.all(Array.from({ length: 4 }, session));
      }
    };
    await many(100, 4);
    const before = descriptors();
    await many(sample(600, 2_000), sample(16, 24));
    // The number of the client's own idle connections varies; a leak of one for each session would be more.
    await expect.poll(descriptors, { timeout: 20_000 }).toBeLessThan(before + 10);
  });
});
