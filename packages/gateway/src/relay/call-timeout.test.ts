import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../settings/sections.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { initialize, modern, post, request, startHttpUpstream } from "../testing/http.ts";
import { call, INITIALIZE, INITIALIZED } from "../testing/messages.ts";
import { tempDir, wrapped } from "../testing/wrapped.ts";

const TIMED_OUT = {
  error: {
    code: -32603,
    message: "touchstone: the server did not respond within 0.2 s (limits.call_timeout)",
  },
};
const WORK = { name: "work", arguments: { n: 1 } };
const SILENT = [SCRIPTED_SERVER, "--on", "tools/call=silent"];

/** A gateway with one server, for the running test. */
async function serving(server: object) {
  const touchstone = await startTestGateway({
    limits: { call_timeout: 0.2 },
    mcpServers: { server },
  });
  onTestFinished(() => touchstone.close());
  const calls = async () => {
    const records = await touchstone.records({ type: "tool_call" });
    return records.map(({ status, reason }) => ({ status, reason }));
  };
  return { url: touchstone.url("server"), calls };
}

const RECORDED = [{ status: "error", reason: expect.stringMatching(/within 0.2 s/) }];
const json = (answer: { readonly text: string }): unknown => JSON.parse(answer.text);

describe("limits.call_timeout", () => {
  it("responds for a silent server behind a wrap, and reports it", async () => {
    const file = join(tempDir(), "in");
    const limits = { ...DEFAULT_LIMITS, callTimeout: 0.2 };
    const client = wrapped(SILENT, { limits, env: { RECORD_IN: file } });
    client.send(INITIALIZE, INITIALIZED, call(1, "work", { n: 1 }));
    expect(await client.answer(1)).toMatchObject({ id: 1, ...TIMED_OUT });
    expect(await client.close()).toBe(0);
    expect(client.received.lines).toHaveLength(2);
    const last = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 1 },
    });
    const records = await client.records();
    expect(records.filter(({ type }) => type === "tool_call")).toMatchObject(RECORDED);
  });

  it("responds in a session with a silent stdio server", async () => {
    const { url, calls } = await serving({ command: process.execPath, args: SILENT });
    const headers = await initialize(url);
    const answer = await post(url, request(5, "tools/call", WORK), headers);
    expect(json(answer)).toMatchObject({ id: 5, ...TIMED_OUT });
    expect(await calls()).toMatchObject(RECORDED);
  });

  it("responds without a session for a silent stdio server", async () => {
    const { url, calls } = await serving({ command: process.execPath, args: SILENT });
    const { body, headers } = modern("tools/call", WORK, { id: "a" });
    const answer = await post(url, body, headers);
    expect(json(answer)).toMatchObject({ id: "a", ...TIMED_OUT });
    expect(await calls()).toMatchObject(RECORDED);
  });
});

type Mute = (response: ServerResponse) => void;

/** An upstream that answers everything but calls; `mute` gets those. */
async function mutedUpstream(mute: Mute) {
  let closed: Promise<unknown> = Promise.reject(new Error("no call came"));
  closed.catch(() => {});
  let cancelled: (params: unknown) => void = () => {};
  const cancellation = new Promise<unknown>((resolve) => {
    cancelled = resolve;
  });
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const message = body === "" ? {} : JSON.parse(body);
    if (message.method === "tools/call") {
      closed = once(response, "close");
      mute(response);
      return;
    }
    if (message.method === "notifications/cancelled") cancelled(message.params);
    if (method !== "POST" || message.id === undefined) {
      response.writeHead(method === "POST" ? 202 : 405).end();
      return;
    }
    const result =
      message.method === "initialize"
        ? {
            protocolVersion: "2025-11-25",
            capabilities: {},
            serverInfo: { name: "u", version: "1" },
          }
        : { tools: [{ name: "work", inputSchema: { type: "object" } }], resultType: "complete" };
    const headers = { "content-type": "application/json", "mcp-session-id": "s-1" };
    response
      .writeHead(200, headers)
      .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  onTestFinished(() => upstream.close());
  return { upstream, cancellation, closed: () => closed };
}

const MUTES: [string, Mute][] = [
  ["says nothing", () => {}],
  [
    "only opens a stream",
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
    },
  ],
];

describe.each(MUTES)("limits.call_timeout with an HTTP server that %s", (_, mute) => {
  it("responds in a session, and cancels the call", async () => {
    const { upstream, cancellation, closed } = await mutedUpstream(mute);
    const { url, calls } = await serving({ url: upstream.url });
    const headers = await initialize(url);
    const answer = await post(url, request(5, "tools/call", WORK), headers);
    expect(answer.messages.map((message) => JSON.parse(message))).toMatchObject([
      { id: 5, ...TIMED_OUT },
    ]);
    expect(await cancellation).toMatchObject({ requestId: 5 });
    await closed();
    expect(await calls()).toMatchObject(RECORDED);
  });

  it("responds without a session, and closes the connection", async () => {
    const { upstream, closed } = await mutedUpstream(mute);
    const { url, calls } = await serving({ url: upstream.url });
    const { body, headers } = modern("tools/call", WORK, { id: 6 });
    const answer = await post(url, body, headers);
    expect(answer.messages.map((message) => JSON.parse(message))).toMatchObject([
      { id: 6, ...TIMED_OUT },
    ]);
    await closed();
    expect(upstream.seen.some(({ body }) => body.includes("notifications/cancelled"))).toBe(false);
    expect(await calls()).toMatchObject(RECORDED);
  });
});
