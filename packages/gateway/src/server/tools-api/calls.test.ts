import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ActivityRecord } from "../../../../records/src/record.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, startHttpUpstream } from "../../testing/http.ts";

const NAMED_TOOLS = fileURLToPath(import.meta.resolve("./testing/named-tools.mjs"));
const { messagesFor, afterAsking } = await import(NAMED_TOOLS);

type EraName = "legacy" | "modern";
type ServerName = `${"stdio" | "http" | "pinned"}-${EraName}`;
const SERVERS = ["stdio-legacy", "stdio-modern", "http-legacy", "http-modern"] as const;
const eraOf = (server: ServerName): EraName => (server.endsWith("legacy") ? "legacy" : "modern");

/** A Streamable HTTP server with the named tools. In the legacy era it has sessions. */
function startNamedTools(era: EraName): Promise<HttpUpstreamServer> {
  let sessions = 0;
  /** Sends a message on the stream that contains the response to the call that asks for input. */
  let answered: ((message: object) => void) | undefined;
  return startHttpUpstream(({ method: verb, body, headers }, response) => {
    if (verb !== "POST") {
      response.writeHead(verb === "DELETE" ? 200 : 405).end();
      return;
    }
    const message = JSON.parse(body);
    const { id, method, params } = message;
    if (id === undefined || method === undefined) {
      if (method === undefined) answered?.(message);
      response.writeHead(202).end();
      return;
    }
    sessions += method === "initialize" ? 1 : 0;
    const begun = method === "initialize" ? { "mcp-session-id": `s${sessions}` } : {};
    const session = headers["mcp-session-id"];
    if (
      era === "legacy" &&
      session === undefined &&
      !/^(initialize|server\/discover)$/.test(method)
    ) {
      response.writeHead(400).end();
      return;
    }
    const messages = messagesFor(message, era);
    if (messages === "silent") return;
    if (messages === "exiting") {
      response.destroy();
      return;
    }
    const text = (one: object): string =>
      JSON.stringify({ jsonrpc: "2.0", ...("method" in one ? {} : { id }), ...one });
    const waits = params?.name === "asking" && era === "legacy";
    if (messages.length === 1 && !waits) {
      response.writeHead(200, { "content-type": "application/json", ...begun });
      response.end(text(messages[0]));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...begun });
    for (const one of messages) response.write(`data: ${text(one)}\n\n`);
    if (waits) answered = (answer) => response.end(`data: ${text(afterAsking(answer))}\n\n`);
    else response.end();
  });
}

const SETTINGS = {
  input_validation: { mode: "strict" },
  output_validation: { mode: "strict" },
  policy: { deny_tools: ["denied"] },
  tools: {
    narrowed: { narrow: { properties: { n: { maximum: 9 } } } },
    limited: { limits: { calls_per_minute: 1 } },
  },
};
const KEYS = {
  api_key: "key-of-everybody",
  admin_key: "key-of-operator",
  keys: [{ name: "alice", key: "key-of-alice" }],
};

let upstreams: Readonly<Record<EraName, HttpUpstreamServer>>;
let touchstone: TestGateway;
/** A gateway with a short time limit for calls: on a busy machine, any call may take longer. */
let hasty: TestGateway;

beforeAll(async () => {
  upstreams = { legacy: await startNamedTools("legacy"), modern: await startNamedTools("modern") };
  const stdio = (era: EraName) => ({ command: process.execPath, args: [NAMED_TOOLS, era] });
  const entries = {
    "stdio-legacy": { ...stdio("legacy"), touchstone: SETTINGS },
    "stdio-modern": { ...stdio("modern"), touchstone: SETTINGS },
    "http-legacy": { url: upstreams.legacy.url, touchstone: SETTINGS },
    "http-modern": { url: upstreams.modern.url, touchstone: SETTINGS },
  };
  const pin = { ...SETTINGS, pin: "strict", lock: "first_use" };
  const common = { auth: KEYS, http: { allow_execute: true }, activity: { bodies: true } };
  touchstone = await startTestGateway({
    mcpServers: { ...entries, "pinned-legacy": { ...stdio("legacy"), touchstone: pin } },
    limits: { concurrent_calls: 1, upstream_frame_bytes: 200_000, request_bytes: 1_000 },
    ...common,
  });
  hasty = await startTestGateway({ mcpServers: entries, limits: { call_timeout: 1 }, ...common });
});
afterAll(async () => {
  await touchstone.close();
  await hasty.close();
  for (const upstream of Object.values(upstreams)) await upstream.close();
});

interface Called {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

interface Call {
  readonly tool: string;
  readonly args?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(
  server: string,
  { tool, args = '{"n":1}', query = "", headers = {} }: Call,
  { gateway = touchstone, signal }: { gateway?: TestGateway; signal?: AbortSignal } = {},
): Promise<Called> {
  const path = `/servers/${server}/tools/${tool}/call${query}`;
  const response = await fetch(`http://127.0.0.1:${gateway.gateway.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key-of-alice", ...headers },
    body: args,
    signal: signal ?? null,
  });
  const { status } = response;
  return { status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
}

type Expected = Readonly<Record<string, unknown>>;

/** Returns the record of a call that reached the server, or the gateway's endpoint for it. */
const called = (decision: string, status: string, more: Expected = {}): Expected => ({
  ...{
    type: "tool_call",
    source: "gateway",
    decision,
    status,
    outcome: "pass",
    arguments: '{"n":1}',
  },
  ...more,
});
/** Returns the record of a decision about such a call. */
const decided = (decision: string, status: string, more: Expected = {}): Expected => ({
  ...{ type: "policy_decision", source: "gateway", decision, status, outcome: "violation" },
  ...more,
});
const PASSED = "input strict pass, output strict pass, protocol warn pass";

interface Row extends Call {
  readonly what: string;
  readonly status: number;
  /** What the response contains. */
  readonly text: string;
  readonly retryAfter?: RegExp;
  /** Whether the gateway does not read the message, so that only a session can identify its client. */
  readonly isUnread?: boolean;
  /** The records of the call. */
  readonly records: readonly Expected[];
}

const ROWS: readonly Row[] = [
  {
    ...{ what: "valid", tool: "work", status: 200, text: '"structuredContent":{"n":1}' },
    records: [called("allowed", "success", { checks: PASSED })],
  },
  {
    ...{ what: "invalid", tool: "work", args: '{"n":"1"}', status: 200 },
    text: 'The tool was not run. The arguments of \\"work\\" do not match',
    records: [
      decided("blocked", "blocked", { source: "http", direction: "input", mode: "strict" }),
      called("blocked", "blocked", {
        ...{ source: "http", direction: "input", mode: "strict", outcome: "violation" },
        ...{ arguments: '{"n":"1"}', bytes_in: 9, checks: "input strict violation" },
      }),
    ],
  },
  {
    ...{ what: "invalid, and repaired", tool: "work", args: '{"n":"1"}', query: "?repair=safe" },
    ...{ status: 200, text: '"structuredContent":{"n":1}' },
    records: [
      decided("repaired", "repaired", { direction: "input", repairs: "coerce-scalars at /n" }),
      called("repaired", "success", {
        ...{ arguments: '{"n":"1"}', outcome: "violation", repairs: "coerce-scalars at /n" },
        checks:
          "input strict violation repaired:coerce-scalars, output strict pass, protocol warn pass",
      }),
    ],
  },
  {
    ...{ what: "forbidden by narrow", tool: "narrowed", args: '{"n":10}', status: 403 },
    text: "this gateway's policy forbids it",
    records: [
      decided("blocked", "blocked", { direction: "input", mode: "strict" }),
      called("blocked", "out_of_bounds", {
        ...{ arguments: '{"n":10}', outcome: "violation", checks: "input strict pass" },
        reason: "policy forbids the arguments: /n must be at most 9",
      }),
    ],
  },
  {
    ...{ what: "of a denied tool", tool: "denied", status: 404 },
    ...{ text: '{"error":"Tool not found: denied"}', records: [] },
  },
  {
    ...{ what: "within the limit of its tool", tool: "limited", status: 200, text: '"n":1' },
    records: [called("allowed", "success")],
  },
  {
    ...{
      what: "over the limit of its tool",
      tool: "limited",
      status: 429,
      retryAfter: /^[1-6]\d?$/,
    },
    text: "the limit of 1 calls per minute of this tool is reached",
    records: [
      decided("blocked", "limited", { source: "http", direction: "input" }),
      called("blocked", "limited", { source: "http", outcome: "violation", checks: "none" }),
    ],
  },
  {
    ...{ what: "with an invalid result", tool: "wrong", status: 500 },
    text: "output schema validation failed: /n must be an integer",
    records: [
      decided("blocked", "blocked", { direction: "output" }),
      called("blocked", "blocked", {
        ...{ direction: "output", outcome: "violation" },
        checks: "input strict pass, output strict violation, protocol warn pass",
      }),
    ],
  },
  {
    ...{ what: "of a tool that fails", tool: "failing", status: 500, text: '"isError":true' },
    records: [called("allowed", "error")],
  },
  {
    ...{ what: "that the server answers with an error", tool: "erring", status: 500 },
    text: '"structuredContent":{"code":-32000,"message":"no room","data":{"free":0}}',
    records: [
      called("allowed", "error", {
        result: '{"code":-32000,"message":"no room","data":{"free":0}}',
      }),
    ],
  },
  {
    ...{ what: "with a result over the limit", tool: "large", status: 500 },
    text: "bytes is over the limit of 200000 bytes",
    records: [
      decided("blocked", "blocked", { direction: "protocol", outcome: "guard" }),
      called("blocked", "blocked", { direction: "protocol", outcome: "guard" }),
    ],
  },
  {
    ...{ what: "that reports progress", tool: "slow", status: 200 },
    headers: { accept: "text/event-stream" },
    text: 'event: progress\ndata: {"progress":1,"total":1}\n\nevent: result\ndata: {"content"',
    records: [called("allowed", "success")],
  },
  {
    ...{
      what: "over the limit with its envelope",
      tool: "work",
      args: `{"n":1${" ".repeat(990)}}`,
    },
    ...{ status: 500, text: "bytes is over the limit of 1000 bytes", isUnread: true },
    records: [
      decided("blocked", "blocked", { direction: "protocol", outcome: "guard" }),
      { type: "tool_call", source: "gateway", decision: "blocked", status: "rejected" },
    ],
  },
];

/** Returns the records of a server's calls. */
async function recordsOf(server: string, gateway = touchstone): Promise<ActivityRecord[]> {
  const records = await gateway.records({ server });
  return records.filter(({ type, tool }) => /^(tool_call|policy_decision)$/.test(type) && tool);
}

/** Expects records of one call of alice. */
function expectRecords(
  server: ServerName,
  records: readonly ActivityRecord[],
  expected: readonly Expected[],
  isUnread = false,
): void {
  expect(records, server).toMatchObject(expected);
  expect(new Set(records.map((record) => record.request_id)).size).toBe(records.length && 1);
  for (const { source, client, caller, session } of records) {
    // A call that is refused before it is sent has no session.
    const isInSession = eraOf(server) === "legacy" && source === "gateway";
    expect(caller).toBe("alice");
    expect(client).toBe(isUnread && !isInSession ? null : "touchstone-http/1");
    expect(session).toEqual(isInSession ? expect.stringMatching(/^sha256:/) : null);
  }
}

const onEach = async (work: (server: ServerName) => Promise<void>): Promise<void> => {
  await Promise.all(SERVERS.map(work));
};

describe("a call of the tools API", () => {
  it.each(ROWS)("$what: $status", async (row) => {
    const { status, text, retryAfter, records, isUnread, ...one } = row;
    await onEach(async (server) => {
      let length = 0;
      const response = await vi.waitFor(async () => {
        ({ length } = await recordsOf(server));
        const got = await call(server, one);
        // Waits, because a server that has ended is restarted only after a moment.
        expect(got.text).not.toContain("is started again in");
        return got;
      }, WAIT);
      expect(response).toMatchObject({ status, text: expect.stringContaining(text) });
      if (retryAfter === undefined) expect(response.retryAfter).toBeNull();
      else expect(response.retryAfter).toMatch(retryAfter);
      expectRecords(server, (await recordsOf(server)).slice(length), records, isUnread);
    });
  });

  it("without a response in time: 500", async () => {
    await onEach(async (server) => {
      const { status, text } = await call(server, { tool: "silent" }, { gateway: hasty });
      const reason = "the server did not respond within 1 s (limits.call_timeout)";
      expect({ status, text }).toEqual({ status: 500, text: expect.stringContaining(reason) });
      expectRecords(server, await recordsOf(server, hasty), [
        called("allowed", "error", { reason, checks: "input strict pass" }),
      ]);
    });
  });

  it.each([
    ["legacy", 200, "the client said: this client has no such method", "allowed", "success"],
    [
      "modern",
      500,
      "the tool asks for more input, which this API cannot give",
      "warning",
      "warning",
    ],
  ] as const)("that asks for input, %s: %i", async (era, status, text, decision, outcome) => {
    await onEach(async (server) => {
      if (eraOf(server) !== era) return;
      const { length } = await recordsOf(server);
      const response = await call(server, { tool: "asking" });
      expect(response).toMatchObject({ status, text: expect.stringContaining(text) });
      const records = (await recordsOf(server)).slice(length);
      const found = decision === "warning" ? "violation" : "pass";
      expectRecords(server, records, [
        ...(decision === "warning" ? [decided(decision, outcome, { direction: "protocol" })] : []),
        called(decision, outcome, { outcome: found }),
      ]);
    });
  });

  it("while another one runs, beyond limits.concurrent_calls: 429; the other one ends with its client", async () => {
    await onEach(async (server) => {
      const before = await recordsOf(server);
      const leaving = new AbortController();
      const left = call(server, { tool: "silent" }, { signal: leaving.signal });
      await vi.waitFor(
        () => expect(received(server, "tools/call").at(-1)).toContain("silent"),
        WAIT,
      );
      const other = await call(server, { tool: "work" });
      expect(other).toMatchObject({ status: 429, text: expect.stringContaining("concurrent") });
      leaving.abort();
      await expect(left).rejects.toThrow();
      const records = await vi.waitFor(async () => {
        const added = (await recordsOf(server)).slice(before.length);
        expect(added.some(({ tool }) => tool === "silent")).toBe(true);
        return added;
      }, WAIT);
      const of = (tool: string) => records.filter((record) => record.tool === tool);
      expectRecords(server, of("work"), [called("allowed", "limited")]);
      expectRecords(server, of("silent"), [called("allowed", "error", { reason: LEFT[server] })]);
      // Over HTTP, a client of the latest revision cancels by closing the stream.
      if (server === "http-modern") return;
      await vi.waitFor(
        () => expect(received(server, "notifications/cancelled")).not.toEqual([]),
        WAIT,
      );
    });
  });

  it("of a tool whose approval is withdrawn: 403", async () => {
    const headers = { "x-api-key": KEYS.admin_key, "content-type": "application/json" };
    const api = `http://127.0.0.1:${touchstone.gateway.port}/api/v1/pins`;
    expect((await call("pinned-legacy", { tool: "work" })).status).toBe(200);
    const pins = await (await fetch(`${api}?server=pinned-legacy`, { headers })).json();
    const { hash } = pins.find(({ name }: { name: string }) => name === "work");
    const body = JSON.stringify({ server: "pinned-legacy", kind: "tool", name: "work", hash });
    const revoked = await fetch(`${api}/revoke`, { method: "POST", headers, body });
    expect(revoked.status, await revoked.text()).toBe(200);
    const { length } = await recordsOf("pinned-legacy");
    const held = await call("pinned-legacy", { tool: "work" });
    expect(held).toMatchObject({ status: 403, text: expect.stringContaining("tool is revoked") });
    expectRecords("pinned-legacy", (await recordsOf("pinned-legacy")).slice(length), [
      decided("blocked", "blocked", { direction: "input" }),
      called("blocked", "held", { outcome: "violation", checks: "none" }),
    ]);
  });

  it.each([
    ["legacy", { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "s1" }],
    ["modern", { "mcp-method": "tools/call", "mcp-name": "work" }],
  ] as const)("sends an HTTP server no header of the client: %s", async (era, own) => {
    const headers = { authorization: "Bearer x", cookie: "c=1", "mcp-session-id": "s9" };
    await call(`http-${era}`, { tool: "work", headers });
    const { host: _, connection: __, ...sent } = upstreams[era].seen.at(-1)?.headers ?? {};
    expect(sent).toMatchObject(own);
    expect(sent).toEqual({
      ...own,
      "mcp-protocol-version": expect.any(String),
      accept: "application/json, text/event-stream",
      "accept-encoding": "identity",
      "content-length": expect.any(String),
      "content-type": "application/json",
    });
  });

  it.each([
    ["key-of-everybody", null],
    ["key-of-alice", "alice"],
  ])("is recorded with the caller of %s", async (key, caller) => {
    await onEach(async (server) => {
      const { status } = await call(server, { tool: "work", headers: { "x-api-key": key } });
      expect(status).toBe(200);
      const record = (await recordsOf(server)).at(-1);
      expect(record?.caller ?? null).toBe(caller);
    });
  });

  // This is the last test, because the gateway does not restart the server within a second.
  it("that ends the server: 500", async () => {
    await onEach(async (server) => {
      const { length } = await recordsOf(server);
      const { status, text } = await call(server, { tool: "exiting" });
      const error = "tools/call was answered with the error -32603: touchstone: ";
      expect({ status, text }).toEqual({ status: 500, text: expect.stringContaining(error) });
      expectRecords(server, (await recordsOf(server)).slice(length), [called("allowed", "error")]);
    });
  });
});

const closed = "the client closed the connection";
const canceled = "canceled by the client";
/** The reason in the record of a call whose client has disconnected. */
const LEFT: Readonly<Record<string, unknown>> = {
  "stdio-legacy": canceled,
  "stdio-modern": closed,
  "http-modern": closed,
  // The gateway both closes the stream and sends a cancellation.
  "http-legacy": expect.stringMatching(`^(${closed}|${canceled})$`),
};
const WAIT = { timeout: 20_000, interval: 50 };

/** Returns the messages of a method that a server has received, as text. */
function received(server: ServerName, method: string): readonly string[] {
  const { seen } = upstreams[eraOf(server)];
  const http = seen.map(({ body }) => body).filter((body) => body.includes(`"method":"${method}"`));
  const start = `[${server}] ${method} `;
  return server.startsWith("http")
    ? http
    : touchstone.lines.filter((line) => line.startsWith(start));
}
