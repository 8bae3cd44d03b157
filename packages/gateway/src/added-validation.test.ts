import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { ToolValidator, type ValidationClient } from "@touchstone/capability";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "./config/load.ts";
import { FAULTY_SERVER } from "./testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { initialize, modern, post, request } from "./testing/http.ts";
import { type SdkServer, serveSdk } from "./testing/sdk-server.ts";

const INFO = { name: "test", version: "1" };
const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

/** A server of the official SDK in both eras, without sessions. */
interface SdkUpstream extends SdkServer {
  /** How often its tool has run. */
  calls(): number;
}

const NUMBER = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
} as const;

/** Starts a server with one tool: `twice` takes `{n}` and gives `{n}`. */
async function startSdkUpstream(): Promise<SdkUpstream> {
  let calls = 0;
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "sdk", version: "1" });
    server.registerTool(
      "twice",
      { inputSchema: fromJsonSchema<{ n: number }>(NUMBER), outputSchema: fromJsonSchema(NUMBER) },
      async ({ n }) => {
        calls += 1;
        return { content: [], structuredContent: { n: n * 2 } };
      },
    );
    return server;
  });
  return { ...(await serveSdk(handler)), calls: () => calls };
}

let sdk: SdkUpstream;
let touchstone: TestGateway;
beforeAll(async () => {
  sdk = await startSdkUpstream();
  touchstone = await startTestGateway({
    mcpServers: {
      stdio: FAULTY,
      http: { url: sdk.url },
      plain: { ...FAULTY, touchstone: { capability: "pass" } },
    },
    capability: "add",
  });
});
afterAll(async () => {
  await touchstone.close();
  await sdk.close();
});

interface Connected extends ValidationClient {
  close(): Promise<void>;
}

const CLIENTS: Readonly<Record<string, (url: URL) => Promise<Connected>>> = {
  async v1(url) {
    const client = new ClientV1(INFO);
    await client.connect(new TransportV1(url) as Parameters<ClientV1["connect"]>[0]);
    return client;
  },
  async "v2, 2025-11-25"(url) {
    const client = new Client(INFO, { versionNegotiation: { mode: "legacy" } });
    await client.connect(new StreamableHTTPClientTransport(url));
    return client;
  },
  async "v2, 2026-07-28"(url) {
    const client = new Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url));
    return client;
  },
};

const CALLS = {
  stdio: { tool: "get_weather", good: { city: "Rome" }, bad: { city: 1 } },
  http: { tool: "twice", good: { n: 1 }, bad: { n: "1" } },
} as const;

const validations = (server: string) => touchstone.records({ type: "tool_call", server });

describe.each(Object.keys(CLIENTS))("a %s client", (kind) => {
  it.each(["stdio", "http"] as const)(
    "finds and uses the added validation in front of %s",
    async (server) => {
      const client = await CLIENTS[kind]?.(new URL(touchstone.url(server)));
      if (client === undefined) throw new Error(kind);
      const { tool, good, bad } = CALLS[server];
      const before = sdk.calls();
      const earlier = new Set((await validations(server)).map(({ id }) => id));
      const validator = new ToolValidator({ it: client });
      const results = await validator.validateTools(
        [good, bad, {}].map((args) => ({ tool: `it:${tool}`, arguments: args })),
      );
      expect(results.map(({ valid, method }) => [valid, method])).toEqual([
        [true, "native"],
        [false, "native"],
        [false, "native"],
      ]);
      expect(sdk.calls()).toBe(before);
      await client.close();
      const calls = (await validations(server)).filter(({ id }) => !earlier.has(id));
      // Before 2026-07-28, the gateway can ask a server for its tools only after the handshake.
      const name = kind.endsWith("2026-07-28") ? "validate" : "touchstone_validate_tool_call";
      expect(new Set(calls.map((call) => `${call.tool} ${call.status}`))).toEqual(
        new Set([`${name} success`]),
      );
      const decisions = await touchstone.records({ type: "policy_decision", server });
      expect(decisions.filter((decision) => decision.tool !== tool)).toEqual([]);
    },
  );

  it("sees no validation if none is added", async () => {
    const client = await CLIENTS[kind]?.(new URL(touchstone.url("plain")));
    if (client === undefined) throw new Error(kind);
    const result = await new ToolValidator({ it: client }).validateTool("it:get_weather", {});
    expect([result.method, result.native.status]).toEqual(["schema", "not_supported"]);
    await client.close();
  });
});

it("refuses a call of the added tool if its headers name another tool", async () => {
  const call = modern("tools/call", { name: "validate", arguments: { tool: "x", arguments: {} } });
  for (const server of ["stdio", "http"]) {
    const headers = { ...call.headers, "mcp-name": "other" };
    const refused = await post(touchstone.url(server), call.body, headers);
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, -32_020]);
    expect((await post(touchstone.url(server), call.body, call.headers)).status).toBe(200);
  }
});

it("adds and removes validation in open sessions when the configuration changes", async () => {
  const one = await startTestGateway({ mcpServers: { faulty: FAULTY } });
  const url = one.url("faulty");
  const config = (capability: string) =>
    parseConfig(
      JSON.stringify({
        listen: { address: "127.0.0.1:0" },
        mcpServers: { faulty: FAULTY },
        capability,
      }),
      { file: "touchstone.json", env: {} },
    );
  const tools = async (): Promise<string> =>
    (await post(url, request(2, "tools/list", { cursor: "page-2" }), await initialize(url))).text;
  try {
    expect(await tools()).not.toContain("validate");
    expect(await one.gateway.reload(config("add"))).toEqual(["faulty has new settings"]);
    expect(await tools()).toContain('"touchstone_validate_tool_call"');
    await one.gateway.reload(config("pass"));
    expect(await tools()).not.toContain("validate");
  } finally {
    await one.close();
  }
});
