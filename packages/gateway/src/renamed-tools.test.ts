import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { encodeHeaderValue } from "@touchstone/protocol/advanced";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { shortName } from "./contracts/short-names.ts";
import { SCRIPTED_SERVER } from "./testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  modern,
  post,
  request,
  startHttpUpstream,
} from "./testing/http.ts";
import { type SdkServer, serveSdk } from "./testing/sdk-server.ts";

/** A name that is too long for clients, with characters that they refuse and that headers cannot contain. */
const OWN = `files/é ${"read_".repeat(14)}`;
const SHORT = shortName(OWN, { max: 64, prefixLength: 10 });
const NUMBER = {
  type: "object",
  properties: { n: { type: "integer", "x-mcp-header": "N" } },
  required: ["n"],
} as const;
const TOOL = {
  name: OWN,
  inputSchema: NUMBER,
  outputSchema: { type: "object", properties: { n: { type: "integer" } } },
  execution: { taskSupport: "optional" },
};
const TIME = "2026-01-01T00:00:00Z";
const TASK = { taskId: "t1", createdAt: TIME, lastUpdatedAt: TIME, ttl: null, pollInterval: 1 };
/** A result of a tool that does not match its output schema. */
const WRONG = { content: [], structuredContent: { n: "one" } };

/** Returns the server's result over HTTP; a call makes a task if it requests one, or if its number is 7. */
function answerOf(method: string, params: Record<string, unknown> = {}): object {
  const isModern = JSON.stringify(params).includes("io.modelcontextprotocol/protocolVersion");
  const type = isModern ? { resultType: "complete", ttlMs: 60_000, cacheScope: "public" } : {};
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
      return { protocolVersion, capabilities, serverInfo: { name: "s", version: "1" } };
    }
    case "server/discover":
      return { ...type, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "tools/list":
      return { ...type, tools: [TOOL] };
    case "tasks/get": {
      const done = { ...TASK, status: "completed" };
      return isModern ? { ...type, ...done, result: { ...type, ...WRONG } } : done;
    }
    case "tasks/result":
      return WRONG;
  }
  if (params["task"] !== undefined) return { task: { ...TASK, status: "working" } };
  const { n } = params["arguments"] as { n: number };
  if (n === 7) return { resultType: "task", ...TASK, status: "working" };
  return { ...type, structuredContent: { n } };
}

let folder: string;
let sdk: SdkServer;
let raw: HttpUpstreamServer;
let touchstone: TestGateway;

function scripted(name: string, action: string): object {
  const file = join(folder, name);
  writeFileSync(file, "");
  const list = JSON.stringify({
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "public",
    tools: [TOOL],
  });
  const on = [`tools/list=raw:{"jsonrpc":"2.0","id":$ID,"result":${list}}`, `tools/call=${action}`];
  return {
    command: process.execPath,
    args: [SCRIPTED_SERVER, ...on.flatMap((one) => ["--on", one])],
    env: { RECORD_IN: file },
  };
}
const got = (name: string): string => readFileSync(join(folder, name), "utf8");

beforeAll(async () => {
  // The SDK warns about such names each time that a server is created.
  vi.spyOn(console, "warn").mockImplementation(() => {});
  folder = mkdtempSync(join(tmpdir(), "touchstone-renamed-"));
  sdk = await serveSdk(
    createMcpHandler(() => {
      const own = new McpServer({ name: "sdk", version: "1" });
      const inputSchema = fromJsonSchema<{ n: number }>(NUMBER);
      own.registerTool(OWN, { inputSchema }, () => ({ content: [{ type: "text", text: OWN }] }));
      return own;
    }),
  );
  raw = await startHttpUpstream(({ body }, response) => {
    const messages = [JSON.parse(body || "{}")].flat();
    const answers = messages.flatMap(({ id, method, params }) =>
      id === undefined ? [] : { jsonrpc: "2.0", id, result: answerOf(method, params) },
    );
    if (answers.length === 0) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
    response.end(JSON.stringify(body.startsWith("[") ? answers : answers[0]));
  });
  touchstone = await startTestGateway({
    http: { allow_execute: true },
    input_validation: { mode: "strict" },
    output_validation: { mode: "strict" },
    adapt: {
      names: { max: 64, prefix_length: 10 },
      output_schema: "drop",
      mirror_content: true,
    },
    mcpServers: {
      sdk: { url: sdk.url },
      raw: { url: raw.url },
      stdio: scripted("stdio", "progress:2"),
      silent: scripted("silent", "silent"),
    },
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await touchstone.close();
  await Promise.all([sdk.close(), raw.close()]);
  rmSync(folder, { recursive: true });
});

interface Options {
  readonly onprogress?: (progress: { readonly progress: number }) => void;
  readonly signal?: AbortSignal;
}
interface AnyClient {
  names(): Promise<readonly string[]>;
  call(name: string, n: unknown, options?: Options): Promise<unknown>;
  close(): Promise<void>;
}
const INFO = { name: "test", version: "1" };

async function first(server: string): Promise<ClientV1> {
  const client = new ClientV1(INFO);
  await client.connect(new TransportV1(new URL(touchstone.url(server))) as never);
  return client;
}
const CLIENTS: readonly (readonly [string, (server: string) => Promise<AnyClient>])[] = [
  [
    "the SDK of the first generation",
    async (server) => {
      const client = await first(server);
      return {
        names: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: (name, n, options) => client.callTool({ name, arguments: { n } }, undefined, options),
        close: () => client.close(),
      };
    },
  ],
  [
    "the SDK of the second generation",
    async (server) => {
      const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await client.connect(new StreamableHTTPClientTransport(new URL(touchstone.url(server))));
      return {
        names: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: (name, n, options) => client.callTool({ name, arguments: { n } }, options),
        close: () => client.close(),
      };
    },
  ],
];

describe.each(CLIENTS)("a client with %s", (_, connect) => {
  it.each(["sdk", "stdio", "raw"])(
    "lists and calls a tool of %s by its short name",
    async (server) => {
      const client = await connect(server);
      expect(await client.names()).toEqual([SHORT]);
      const before = raw.seen.length;
      expect(await client.call(SHORT, 3)).toMatchObject({
        content: [{ type: "text", text: server === "raw" ? '{"n":3}' : OWN }],
      });
      expect(await client.call(SHORT, "x")).toMatchObject({ isError: true });
      const calls = raw.seen.slice(before).filter(({ body }) => body.includes("tools/call"));
      expect(calls.map(({ body }) => JSON.parse(body).params.name)).toEqual(
        server === "raw" ? [OWN] : [],
      );
      await client.close();
    },
  );

  it("receives the progress of a call by a short name, and can cancel it", async () => {
    const client = await connect("stdio");
    const seen: number[] = [];
    await client.names();
    await client.call(SHORT, 1, { onprogress: ({ progress }) => void seen.push(progress) });
    expect(seen).toEqual([1, 2]);
    await client.close();

    const leaving = await connect("silent");
    await leaving.names();
    const before = got("silent").length;
    const abort = new AbortController();
    const call = leaving.call(SHORT, 1, { signal: abort.signal });
    const sent = (): string => got("silent").slice(before);
    await vi.waitFor(() => expect(sent()).toContain("tools/call"), 20_000);
    expect(sent()).toContain(JSON.stringify(OWN));
    abort.abort();
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(sent()).toContain("notifications/cancelled"), 20_000);
    await leaving.close();
  });
});

describe("a call by a short name", () => {
  const calls = () => raw.seen.filter(({ body }) => body.includes('"tools/call"'));
  beforeEach(() => raw.seen.splice(0));
  const send = (server: string, name: string, header: string | undefined, n = "3") => {
    const { body, headers } = modern("tools/call", { name, arguments: { n: 3 } });
    const { "mcp-name": _, ...rest } = headers;
    const named = header === undefined ? {} : { "mcp-name": header };
    return post(touchstone.url(server), body, { ...rest, ...named, "mcp-param-n": n });
  };

  it("can run as a task, whose result is checked by the tool's schema", async () => {
    const client = await first("raw");
    await client.listTools();
    const params = { name: SHORT, arguments: { n: 1 } };
    const steps = [];
    for await (const step of client.experimental.tasks.callToolStream(params, undefined, {
      task: {},
    })) {
      steps.push(step);
    }
    expect(steps.at(-1)).toMatchObject({ type: "result", result: { isError: true } });
    expect(JSON.stringify(steps.at(-1))).toContain("output schema validation failed");
    expect(calls().map(({ body }) => JSON.parse(body).params.name)).toEqual([OWN]);
    await client.close();

    const { body, headers } = modern("tools/call", { name: SHORT, arguments: { n: 7 } });
    const made = await post(touchstone.url("raw"), body, { ...headers, "mcp-param-n": "7" });
    expect(JSON.parse(made.text).result).toMatchObject({ resultType: "task", taskId: "t1" });
    const get = modern("tasks/get", { taskId: "t1" }, { id: 2 });
    const { text } = await post(touchstone.url("raw"), get.body, get.headers);
    expect(text).toContain("output schema validation failed");
  });

  it("is recorded with the tool's own name", async () => {
    for (const server of ["raw", "sdk", "stdio"]) {
      expect((await send(server, SHORT, SHORT)).status).toBe(200);
      const records = await touchstone.records({ server, type: "tool_call" });
      expect(new Set(records.map(({ tool }) => tool))).toEqual(new Set([OWN]));
    }
  });

  it("works in a batch", async () => {
    const url = touchstone.url("raw");
    const headers = await initialize(url, "2025-03-26");
    await post(url, request(1, "tools/list"), headers);
    const one = (id: number, name: string, n: unknown): object =>
      request(id, "tools/call", { name, arguments: { n } });
    const batch = [one(2, SHORT, 1), one(3, SHORT, "x"), one(4, OWN, 5)];
    const { messages } = await post(url, batch, headers);
    const answers = messages.flatMap((text) => JSON.parse(text));
    expect(answers.map(({ id, result }) => [id, result.isError === true]).sort()).toEqual([
      [2, false],
      [3, true],
      [4, false],
    ]);
    expect(calls().flatMap(({ body }) => JSON.parse(body))).toEqual([
      one(2, OWN, 1),
      one(4, OWN, 5),
    ]);
  });

  it("is sent with the tool's own name in its header too", async () => {
    const encoded = `=?base64?${Buffer.from(SHORT).toString("base64")}?=`;
    for (const [name, header] of [
      [SHORT, SHORT],
      [SHORT, encoded],
      [OWN, encodeHeaderValue(OWN)],
    ] as const) {
      for (const server of ["raw", "sdk", "stdio"]) {
        expect([server, (await send(server, name, header)).status]).toEqual([server, 200]);
      }
    }
    expect(calls().map(({ headers }) => headers["mcp-name"])).toEqual(
      Array(3).fill(encodeHeaderValue(OWN)),
    );
  });

  it.each([
    ["no header", SHORT, undefined],
    ["another name in the header", SHORT, "other"],
    ["the short name in the header alone", OWN, SHORT],
    ["the tool's own name in the header alone", SHORT, encodeHeaderValue(OWN)],
    ["the headers of other arguments", SHORT, SHORT, "4"],
  ])("is refused with %s, as the server itself would", async (_, name, header, n = "3") => {
    // The server `raw` does not compare headers with messages. For that server, the gateway compares only the names
    // that it changes.
    const isNaming = name === SHORT && n === "3";
    for (const server of ["sdk", "stdio", ...(isNaming ? ["raw"] : [])]) {
      const { status, text } = await send(server, name, header, n);
      expect([server, status, JSON.parse(text).error?.code]).toEqual([server, 400, -32020]);
    }
    expect(calls()).toEqual([]);
  });
});

describe("tools in the HTTP API", () => {
  async function ask(path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const headers = { "content-type": "application/json" };
    const init = body && { method: "POST", headers, body: JSON.stringify(body) };
    const url = `http://127.0.0.1:${touchstone.gateway.port}${path}`;
    const answer = await fetch(url, init);
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }
  const at = encodeURIComponent;

  it("keep the server's names and schemas, and have no short names", async () => {
    const { inputSchema, outputSchema } = TOOL;
    const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
    expect(names((await ask("/servers/raw/tools")).body)).toEqual([OWN]);
    expect(names((await ask("/tools")).body)).toContain(`raw:${OWN}`);
    for (const tool of ["/servers/raw/tools/", "/tools/raw:"]) {
      expect((await ask(tool + at(OWN))).body).toMatchObject({ inputSchema, outputSchema });
      expect((await ask(tool + at(SHORT))).status).toBe(404);
      expect((await ask(`${tool}${at(SHORT)}/validate`, { n: 1 })).status).toBe(404);
      expect((await ask(`${tool}${at(SHORT)}/call`, { n: 1 })).status).toBe(404);
      expect((await ask(`${tool}${at(OWN)}/validate`, { n: 1 })).body).toEqual({ valid: true });
    }
  });

  it("get a text block for a structured result if the gateway adds it", async () => {
    for (const tool of ["/servers/raw/tools/", "/tools/raw:"]) {
      const { body } = await ask(`${tool}${at(OWN)}/call`, { n: 1 });
      expect(body).toMatchObject({
        content: [{ type: "text", text: '{"n":1}' }],
        structuredContent: { n: 1 },
      });
    }
  });
});
