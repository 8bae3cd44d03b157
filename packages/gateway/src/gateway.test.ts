import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eachOf, long } from "../../core/src/testing/sample.ts";
import { freePort } from "../../util/src/testing/free-port.ts";
import { FAULTY_SERVER } from "./testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { type SdkServer, serveSdk } from "./testing/sdk-server.ts";

const INFO = { name: "test", version: "1" };
const require = createRequire(import.meta.url);
const everythingPath = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
const filesPath = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");

let folder: string;
let everything: ChildProcess;
let sdk: SdkServer;
let touchstone: TestGateway;

function sdkHandler() {
  return createMcpHandler(() => {
    const server = new McpServer({ name: "sdk", version: "1" });
    const number = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
    } as const;
    server.registerTool(
      "twice",
      { inputSchema: fromJsonSchema<{ n: number }>(number), outputSchema: fromJsonSchema(number) },
      async ({ n }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          for (const progress of [1, 2, 3]) {
            const params = { progressToken, progress, total: 3 };
            await ctx.mcpReq.notify({ method: "notifications/progress", params });
          }
        }
        return { content: [], structuredContent: { n: n * 2 } };
      },
    );
    return server;
  });
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "serve-")));
  writeFileSync(join(folder, "note.txt"), "one\ntwo\n");
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  everything = spawn(process.execPath, [everythingPath, "streamableHttp"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { stderr } = everything;
  if (stderr === null) throw new Error("no stderr");
  let said = "";
  while (!said.includes("listening")) said += String((await once(stderr, "data"))[0]);
  stderr.resume();
  sdk = await serveSdk(sdkHandler());
  const command = process.execPath;
  touchstone = await startTestGateway({
    mcpServers: {
      everything: { command, args: [everythingPath] },
      files: { command, args: [filesPath, folder] },
      faulty: { command, args: [FAULTY_SERVER] },
      "everything http": { url: `http://127.0.0.1:${port}/mcp` },
      sdk: { url: sdk.url },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  everything.kill();
  await sdk.close();
  rmSync(folder, { recursive: true, force: true });
});

type Arguments = Record<string, unknown>;
/** The arguments of every tool that needs some. */
const EVERYTHING: Record<string, Arguments> = {
  echo: { message: "hi" },
  "get-annotated-message": { messageType: "error" },
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Text", resourceId: 1 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "gzip-file-as-resource": {
    name: "a.gz",
    data: "data:text/plain,hello",
    outputType: "resourceLink",
  },
  "trigger-long-running-operation": { duration: 0.03, steps: 3 },
  "trigger-sampling-request": { prompt: "hi", maxTokens: 5 },
};
const files = (): Record<string, Arguments> => {
  const path = join(folder, "note.txt");
  const inside = (name: string): string => join(folder, name);
  return {
    create_directory: { path: inside("sub") },
    directory_tree: { path: folder },
    edit_file: { path, edits: [{ oldText: "two", newText: "2" }] },
    get_file_info: { path },
    list_allowed_directories: {},
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    move_file: { source: inside("made.txt"), destination: inside("moved.txt") },
    read_file: { path },
    read_media_file: { path },
    read_multiple_files: { paths: [path] },
    read_text_file: { path },
    search_files: { path: folder, pattern: "note" },
    write_file: { path: inside("made.txt"), content: "made" },
  };
};
/** Tools that run as a task, or that wait for a person. */
const LEFT_OUT = new Set(["simulate-research-query", "trigger-url-elicitation"]);
const isCalled = (name: string): boolean => !LEFT_OUT.has(name) && !name.endsWith("-async");

const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
const SAMPLED = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "sampled" },
};
const ELICITED = { action: "decline" as const };
const ROOTS = { roots: [{ uri: "file:///tmp", name: "tmp" }] };

async function connectV1(server: string): Promise<ClientV1> {
  const client = new ClientV1(INFO, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  // The SDK's own types clash under exactOptionalPropertyTypes.
  const transport = new TransportV1(new URL(touchstone.url(server)));
  await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
  return client;
}

async function connectV2(server: string, options: ClientOptions = {}): Promise<Client> {
  const client = new Client(INFO, { capabilities, ...options });
  client.setRequestHandler("sampling/createMessage", () => SAMPLED);
  client.setRequestHandler("elicitation/create", () => ELICITED);
  client.setRequestHandler("roots/list", () => ROOTS);
  await client.connect(new StreamableHTTPClientTransport(new URL(touchstone.url(server))));
  return client;
}

interface Caller {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Arguments }): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls every tool that does not need a person; returns the names of those that failed. */
async function callAll(client: Caller, given: Record<string, Arguments>): Promise<string[]> {
  const { tools } = await client.listTools();
  const failed: string[] = [];
  // Sorts `move_file` last, so that other tools use the file before it is moved.
  const order = ({ name }: { name: string }): number => (name === "move_file" ? 1 : 0);
  for (const { name } of tools.sort((a, b) => order(a) - order(b))) {
    if (!isCalled(name)) continue;
    const result = await client.callTool({ name, arguments: given[name] ?? {} });
    if ((result as { isError?: boolean }).isError)
      failed.push(`${name}: ${JSON.stringify(result)}`);
  }
  await client.close();
  return failed;
}

describe("official clients call every tool", () => {
  eachOf(["everything", "everything http"], 1)("of %s, v1", async (server) => {
    expect(await callAll(await connectV1(server), EVERYTHING)).toEqual([]);
  });
  eachOf(["everything", "everything http"], 1)("of %s, v2", async (server) => {
    expect(await callAll(await connectV2(server), EVERYTHING)).toEqual([]);
  });
  it("of the filesystem server, v1 and v2", long, async () => {
    expect(await callAll(await connectV1("files"), files())).toEqual([]);
    rmSync(join(folder, "moved.txt"));
    writeFileSync(join(folder, "note.txt"), "two");
    expect(await callAll(await connectV2("files"), files())).toEqual([]);
  });
});

describe("requests from the server in a session", () => {
  const questions: [string, Arguments, string][] = [
    ["trigger-sampling-request", { prompt: "hi", maxTokens: 5 }, "sampled"],
    ["trigger-elicitation-request", {}, "declined"],
    ["get-roots-list", {}, "file:///tmp"],
  ];
  eachOf(["everything", "everything http"], 1)("reach the client through %s", async (server) => {
    for (const client of [await connectV1(server), await connectV2(server)]) {
      for (const [name, given, said] of questions) {
        const result = await client.callTool({ name, arguments: given });
        expect(JSON.stringify(result)).toContain(said);
      }
      await client.close();
    }
  });
});

describe("eras", () => {
  const MODERN = { mode: { pin: "2026-07-28" } };
  it.each(["sdk", "faulty"])(
    "uses the modern era with %s for pinned and automatic clients",
    async (server) => {
      for (const versionNegotiation of [MODERN, { mode: "auto" as const }]) {
        const client = await connectV2(server, { versionNegotiation });
        expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
        await client.listTools();
        await client.close();
      }
    },
  );

  it.each(["everything", "everything http"])(
    "lets an automatic client fall back with %s",
    async (server) => {
      const client = await connectV2(server, { versionNegotiation: { mode: "auto" } });
      expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
      const { content } = await client.callTool({ name: "echo", arguments: { message: "back" } });
      expect(JSON.stringify(content)).toContain("back");
      await client.close();
    },
  );

  it("refuses a pinned client if the server is of the other era", async () => {
    await expect(connectV2("everything", { versionNegotiation: MODERN })).rejects.toThrow();
  });

  it.each([
    ["sdk", MODERN],
    ["sdk", { mode: "legacy" as const }],
    ["everything", { mode: "legacy" as const }],
  ])(
    "delivers progress from %s in order before the result (%j)",
    async (server, versionNegotiation) => {
      const client = await connectV2(server, { versionNegotiation });
      const seen: number[] = [];
      const call =
        server === "sdk"
          ? { name: "twice", arguments: { n: 2 } }
          : { name: "trigger-long-running-operation", arguments: { duration: 0.03, steps: 3 } };
      await client.callTool(call, { onprogress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
      await client.close();
    },
  );

  it("checks and records calls in both eras", async () => {
    for (const versionNegotiation of [MODERN, { mode: "legacy" as const }]) {
      const client = await connectV2("faulty", { versionNegotiation });
      await client.callTool({ name: "get_weather", arguments: { city: "Berlin" } }).catch(() => {});
      await client.close();
    }
    const decisions = await touchstone.records({ server: "faulty", type: "policy_decision" });
    expect(decisions).toHaveLength(2);
    for (const decision of decisions) {
      expect(decision).toMatchObject({
        tool: "get_weather",
        direction: "output",
        mode: "warn",
        decision: "warning",
        issues: [{ path: "/temperature", message: "must be number", keyword: "type" }],
      });
    }
  });
});

it("records its start and its stop", async () => {
  const other = await startTestGateway({
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
  });
  const { dataDir } = other;
  expect((await other.records()).map(({ type }) => type)).toEqual(["system_start"]);
  await other.gateway.close();
  const records = await other.records();
  expect(records.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    expect.stringMatching(/^system_start serve; configuration sha256:[0-9a-f]{64}$/),
    "system_stop serve",
  ]);
  rmSync(dataDir, { recursive: true });
});
