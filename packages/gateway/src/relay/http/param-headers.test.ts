import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { SchemaCache } from "@touchstone/core/advanced";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { modern, post } from "../../testing/http.ts";
import { type SdkServer, serveSdk } from "../../testing/sdk-server.ts";
import { paramHeadersOf } from "./param-headers.ts";

const cache = new SchemaCache();
const contract = (text: string | undefined): ToolContract =>
  new ToolContract(
    { name: "t", ...(text === undefined ? {} : { inputSchema: Buffer.from(text) }) },
    cache,
  );

describe("the headers that a tool declares", () => {
  it("come from its input schema, which is parsed once", () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const tool = contract(JSON.stringify({ type: "object", properties: { region } }));
    const declared = paramHeadersOf(tool);
    expect(declared).toEqual({
      valid: true,
      headers: [{ path: ["region"], name: "Mcp-Param-Region", type: "string" }],
    });
    expect(paramHeadersOf(tool)).toBe(declared);
    const wrong = contract(JSON.stringify({ type: "string", "x-mcp-header": "A" }));
    expect(paramHeadersOf(wrong)).toMatchObject({ valid: false });
  });

  it.each([
    ["no schema", undefined],
    ["a schema without annotations", '{"type":"object"}'],
    ["a property of that name", '{"properties":{"x-mcp-header":{"type":"string"}}}'],
    ["a schema that is not JSON", '{"x-mcp-header"'],
  ])("are empty if there is %s", (_, text) => {
    expect(paramHeadersOf(contract(text))).toEqual({ valid: true, headers: [] });
  });
});

const REGIONAL = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry" },
  },
  required: ["region"],
  additionalProperties: false,
} as const;
const INFO = { name: "test", version: "1" };

/** Wrong arguments, and what they are repaired to. */
const REPAIRED: readonly [string, Record<string, unknown>, object][] = [
  [
    "values of other types",
    { region: 5, count: "3.0", dry: "true" },
    { region: "5", count: 3, dry: true },
  ],
  ["nulls", { region: "us", count: null }, { region: "us" }],
  ["another name", { Region: "us", count: 3 }, { region: "us", count: 3 }],
  ["nothing that a header repeats", { region: "us", count: 3 }, { region: "us", count: 3 }],
];

describe("headers of a call whose arguments are repaired", () => {
  let server: SdkServer;
  let touchstone: TestGateway;

  beforeAll(async () => {
    const handler = createMcpHandler(() => {
      const own = new McpServer({ name: "sdk", version: "1" });
      const inputSchema = fromJsonSchema<Record<string, unknown>>(REGIONAL);
      own.registerTool("work", { inputSchema, annotations: { readOnlyHint: true } }, (args) => ({
        content: [{ type: "text", text: JSON.stringify(args) }],
      }));
      return own;
    });
    server = await serveSdk(handler);
    const touchstoneOptions = { input_validation: { mode: "strict", repair: ["all"] } };
    touchstone = await startTestGateway({
      mcpServers: {
        sdk: { url: server.url, touchstone: touchstoneOptions },
        plain: { url: server.url },
      },
    });
  });
  afterAll(async () => {
    await touchstone.close();
    await server.close();
  });

  const content = (given: object) => [{ type: "text", text: JSON.stringify(given) }];

  it.each(REPAIRED)(
    "match the repaired arguments for the SDK's server, v2 (%s)",
    async (_, given, repaired) => {
      const client = new Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await client.connect(new StreamableHTTPClientTransport(new URL(touchstone.url("sdk"))));
      await client.listTools();
      const result = await client.callTool({ name: "work", arguments: given });
      expect(result.content).toEqual(content(repaired));
      await client.close();
    },
  );

  it.each(REPAIRED)("are absent in a session, v1 (%s)", async (_, given, repaired) => {
    const client = new ClientV1(INFO);
    const transport = new TransportV1(new URL(touchstone.url("sdk")));
    await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
    await client.listTools();
    const result = await client.callTool({ name: "work", arguments: given });
    expect(result.content).toEqual(content(repaired));
    await client.close();
  });

  const call = (at: string, args: unknown, headers: Record<string, string>) => {
    const request = modern("tools/call", { name: "work", arguments: args });
    return post(touchstone.url(at), request.body, { ...request.headers, ...headers });
  };

  it("are set if the client sent none, even for arguments in one string", async () => {
    await post(touchstone.url("sdk"), modern("tools/list").body, modern("tools/list").headers);
    const { status, text } = await call("sdk", '{"region":"é","count":"3"}', {});
    expect(status).toBe(200);
    expect(JSON.parse(text).result.content).toEqual(content({ region: "é", count: 3 }));
  });

  it.each(["sdk", "plain"])(
    "stay unchanged for arguments without repairs, so that %s refuses wrong ones",
    async (at) => {
      const wrong = { "mcp-param-region": "eu", "mcp-param-count": "3" };
      const { status, text } = await call(at, { region: "us", count: "3" }, wrong);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ error: { code: -32020 } });
    },
  );
});
