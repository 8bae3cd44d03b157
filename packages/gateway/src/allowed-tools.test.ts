import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eachOf } from "../../core/src/testing/sample.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { modern, post, startHttpUpstream } from "./testing/http.ts";

const require = createRequire(import.meta.url);
const script = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
const NOTES = mkdtempSync(join(tmpdir(), "touchstone-notes-"));
writeFileSync(join(NOTES, "a.txt"), "hello");

let touchstone: TestGateway;
beforeAll(async () => {
  touchstone = await startTestGateway({
    http: { allow_execute: true },
    policy: { deny_tools: ["move_*"] },
    mcpServers: {
      files: {
        command: process.execPath,
        args: [script("server-filesystem"), NOTES],
        touchstone: { policy: { read_only: true }, capability: "add" },
      },
      everything: {
        command: process.execPath,
        args: [script("server-everything"), "stdio"],
        touchstone: { policy: { allow_tools: ["echo", "get-*"] } },
      },
    },
  });
}, 60_000);
afterAll(() => touchstone.close());

const ask = async (path: string, body?: string): Promise<{ status: number; text: string }> => {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body };
  const answer = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, init);
  return { status: answer.status, text: await answer.text() };
};
const namesOf = (text: string): string[] =>
  (JSON.parse(text) as { name: string }[]).map(({ name }) => name);

interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}
const INFO = { name: "test", version: "1" };
const CLIENTS: readonly (readonly [string, (url: URL) => Promise<AnyClient>])[] = [
  [
    "the SDK of the first generation",
    async (url) => {
      const client = new Client(INFO);
      await client.connect(new StreamableHTTPClientTransport(url) as never);
      return client as unknown as AnyClient;
    },
  ],
  [
    "the SDK of the second generation",
    async (url) => {
      const client = new ModernClient(INFO);
      await client.connect(new ModernHttp(url));
      return client as unknown as AnyClient;
    },
  ],
];

describe.each(CLIENTS)("a client with %s", (_, connect) => {
  eachOf(
    [
      ["files", "read_text_file", { path: join(NOTES, "a.txt") }, "write_file"],
      ["everything", "echo", { message: "hello" }, "toggle-simulated-logging"],
    ],
    2,
  )("lists and calls only the tools of %s that policy allows", async (...row) => {
    const [server, allowed, args, denied] = row;
    const client = await connect(new URL(touchstone.url(server)));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain(allowed);
    expect(names).not.toContain(denied);
    const result = await client.callTool({ name: allowed, arguments: args });
    expect(JSON.stringify(result)).toContain("hello");
    const refused = client.callTool({ name: denied, arguments: { path: "x", content: "y" } });
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`Unknown tool: ${denied}`),
    });
    await client.close();
  });
});

describe("the HTTP API with a tool policy", () => {
  it.each([
    ["files", "write_file", "read_text_file"],
    ["files", "move_file", "list_directory"],
    ["everything", "toggle-simulated-logging", "echo"],
  ])("of %s hides %s as well", async (server, denied, allowed) => {
    const own = namesOf((await ask(`/servers/${server}/tools`)).text);
    expect([own.includes(allowed), own.includes(denied)]).toEqual([true, false]);
    const all = namesOf((await ask("/tools")).text);
    expect(all).toContain(`${server}:${allowed}`);
    expect(all).not.toContain(`${server}:${denied}`);
    for (const tool of [`/servers/${server}/tools/${denied}`, `/tools/${server}:${denied}`]) {
      for (const [path, body] of [
        [tool, undefined],
        [`${tool}/validate`, "{}"],
        [`${tool}/call`, "{}"],
      ] as const) {
        expect([path, (await ask(path, body)).status]).toEqual([path, 404]);
      }
    }
    expect((await ask(`/servers/${server}/openapi.json`)).text).not.toContain(denied);
  });

  it("shows the operator which setting refuses a tool", async () => {
    await ask("/servers/files/tools");
    const { contracts } = JSON.parse((await ask("/api/v1/servers/files")).text) as {
      contracts: { tool: string; refusedBy: string | null }[];
    };
    const refused = new Map(contracts.map(({ tool, refusedBy }) => [tool, refusedBy]));
    expect(refused.get("read_text_file")).toBeNull();
    expect(refused.get("write_file")).toBe("read_only");
    expect(refused.get("move_file")).toBe("deny_tools");
  });

  it("does not validate calls of a refused tool, alone or in a batch", async () => {
    const client = new Client(INFO);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(touchstone.url("files"))) as never,
    );
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const method = names.find((name) => name.includes("validate")) ?? "";
    const checked = async (args: Record<string, unknown>): Promise<string> =>
      JSON.stringify(await client.callTool({ name: method, arguments: args }));
    const denied = { tool: "write_file", arguments: { path: "a", content: "b" } };
    const missing = await checked({ ...denied, tool: "nothing_file" });
    expect((await checked(denied)).replaceAll("write_file", "nothing_file")).toBe(missing);
    const batch = await checked({ calls: [denied, { ...denied, tool: "read_text_file" }] });
    expect(batch).toContain("Tool not found: write_file");
    await client.close();
  });
});

it("keeps a denied call from a server over HTTP, whatever its headers say", async () => {
  const tools = [{ name: "read" }, { name: "drop" }].map((tool) => ({
    ...tool,
    inputSchema: { type: "object" },
  }));
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body) as { id?: number; method?: string };
    const result = method === "tools/list" ? { tools } : { content: [] };
    const list = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ jsonrpc: "2.0", id: id ?? null, result: { ...list, ...result } }),
    );
  });
  const gateway = await startTestGateway({
    protocol_validation: { mode: "off" },
    policy: { deny_tools: ["drop"] },
    mcpServers: { up: { url: upstream.url } },
  });
  const list = modern("tools/list");
  const listed = await post(gateway.url("up"), list.body, list.headers);
  expect(listed.text).toContain('"read"');
  expect(listed.text).not.toContain('"drop"');
  const read = modern("tools/call", { name: "read", arguments: {} });
  const drop = modern("tools/call", { name: "drop", arguments: {} });
  const legacy = JSON.stringify({
    jsonrpc: "2.0",
    id: 3,
    method: "tools/call",
    params: { name: "read" },
  });
  const before = upstream.seen.length;
  for (const [body, headers] of [
    [drop.body, drop.headers],
    [drop.body, read.headers],
    [read.body, drop.headers],
    [drop.body, { ...drop.headers, "mcp-name": "=?base64?cmVhZA==?=" }],
    [read.body, { ...read.headers, "mcp-name": "=?base64?ZHJvcA==?=" }],
    [read.body, { ...read.headers, "mcp-method": "tools/list", "mcp-name": "drop" }],
    [legacy, { "mcp-name": "drop" }],
    [
      legacy,
      { "mcp-method": "tools/call", "mcp-name": "drop", "mcp-protocol-version": "2025-06-18" },
    ],
  ] as const) {
    const answer = await post(gateway.url("up"), body, headers);
    expect(answer.text).toMatch(/"error"/);
  }
  const after = upstream.seen.slice(before).filter(({ body }) => body.includes("tools/call"));
  expect(after.map(({ body, headers }) => [body, headers["mcp-name"]])).toEqual([]);
  expect((await post(gateway.url("up"), read.body, read.headers)).text).toContain('"content":[]');
  await gateway.close();
  await upstream.close();
});
