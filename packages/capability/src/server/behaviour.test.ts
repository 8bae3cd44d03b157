import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { McpServer, Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { closing } from "../testing/closing.ts";
import { call, connect, SERVERS, type TestTool, WRITE_FILE } from "../testing/sdk.ts";
import { announced, GOOD, starter } from "../testing/wrapped.ts";
import type { ValidationFault } from "./fault.ts";
import { withToolValidation } from "./with-tool-validation.ts";

const open = closing();
const start = starter(open);

describe("the announcement", () => {
  it("names only invalidations that the server sends", async () => {
    const { client } = await start({ caching: { ttl: 60 }, batch: false });
    expect(announced(client)).toMatchObject({
      cacheable: true,
      batchValidation: false,
      caching: { enabled: true, ttl: 60, invalidateOn: ["tool_update"] },
    });
    expect(announced(client)).not.toHaveProperty("maxBatchSize");
    const { tools } = await client.listTools();
    expect(tools.at(-1)?.inputSchema).toMatchObject({ required: ["tool", "arguments"] });
    const batch = await call(client, "validate", { calls: [] });
    expect(batch).toMatchObject({ isError: true });
  });

  it("can also be an extension with the author's name", async () => {
    const { client } = await start({ extension: "com.example/tool-validation" });
    expect(client.getServerCapabilities()).toMatchObject({
      extensions: { "com.example/tool-validation": { supported: true, version: "1.0" } },
    });
  });

  it("keeps what the server already announces", async () => {
    const server = new McpServer(
      { name: "a", version: "1" },
      { capabilities: { experimental: { other: { a: 1 } }, logging: {} } },
    );
    const client = await connect("v2", withToolValidation(server));
    open.push(client, server);
    expect(client.getServerCapabilities()).toMatchObject({
      experimental: { other: { a: 1 }, toolValidation: { supported: true } },
      logging: {},
      tools: {},
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["validate"]);
    await expect(call(client, "nothing", {})).rejects.toThrow(/not found/);
  });

  it("appears even if the tools cannot be listed", async () => {
    const server = new Server({ name: "a", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => {
      throw new Error("not yet");
    });
    const faults: ValidationFault[] = [];
    withToolValidation(server, { onFault: (fault) => faults.push(fault) });
    const client = await connect("v2", server);
    open.push(client, server);
    expect(announced(client)).toMatchObject({ method: "validate" });
    expect(faults).toMatchObject([{ code: "tools_unavailable" }]);
    await expect(call(client, "validate", { tool: "a", arguments: {} })).rejects.toThrow("not yet");
  });

  it("does not wait for a tool list that never arrives", async () => {
    const server = new Server({ name: "a", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => new Promise<never>(() => {}));
    const faults: ValidationFault[] = [];
    withToolValidation(server, { checkTimeoutMs: 20, onFault: (fault) => faults.push(fault) });
    const client = await connect("v2", server);
    open.push(client, server);
    expect(announced(client)).toMatchObject({ method: "validate" });
    expect(faults).toMatchObject([
      { code: "tools_unavailable", message: expect.stringContaining("within 20 ms") },
    ]);
  });
});

describe("the name of the validation tool", () => {
  it.each(["v1 McpServer", "v2 McpServer"])("must be unused at construction (%s)", (kind) => {
    const { server } = SERVERS[kind]?.() ?? {};
    expect(() => withToolValidation(server as object, { method: "write_file" })).toThrow(
      'the server has a tool named "write_file"',
    );
  });

  it.each(["v1 Server", "v2 Server"])(
    "must be unused when a client connects (%s)",
    async (kind) => {
      const { server } = SERVERS[kind]?.() ?? {};
      withToolValidation(server as object, { method: "write_file" });
      await expect(connect("v2", server as object)).rejects.toThrow('a tool named "write_file"');
    },
  );

  it("keeps working if a tool takes it later, so that a validation never runs that tool", async () => {
    const capabilities = { tools: {} };
    const server = new McpServer({ name: "a", version: "1" }, { capabilities });
    const faults: ValidationFault[] = [];
    withToolValidation(server, { onFault: (fault) => faults.push(fault) });
    const client = await connect("v2", server);
    open.push(client, server);
    const ran: string[] = [];
    server.registerTool("validate", {}, () => {
      ran.push("validate");
      return { content: [] };
    });
    expect((await client.listTools()).tools).toHaveLength(1);
    await call(client, "validate", { tool: "validate", arguments: {} });
    expect(ran).toEqual([]);
    expect(faults).toMatchObject([{ code: "name_hidden" }]);
  });
});

describe("withToolValidation refuses", () => {
  it.each<[object, string | RegExp]>([
    [{ method: "a b" }, "method must be"],
    [{ batch: true }, "batch must be"],
    [{ batch: { maxSize: 0 } }, "batch.maxSize must be"],
    [{ caching: { ttl: 0 } }, "caching.ttl must be"],
    [{ caching: { ttl: 1, invalidateOn: ["x"] } }, "caching.invalidateOn must be"],
    [{ contextAware: 1 }, "contextAware must be"],
    [{ checkTimeoutMs: 0 }, "checkTimeoutMs must be"],
    [{ limits: 5 }, "limits must be"],
    [{ limits: { maxDepth: 0 } }, "limits must be"],
    [{ limits: { depth: 5 } }, "limits must be an object of positive integers: maxBytes, maxDepth"],
    [{ extension: "validation" }, "extension must be"],
    [{ onFault: 1 }, "onFault must be"],
    [{ checks: { a: { deep: () => undefined } } }, 'not "deep"'],
    [{ checks: { a: { syntax: 1 } } }, "checks.a.syntax must be"],
    [{ levels: [] }, "levels must be"],
    [{ check: {} }, /^options must be of these: checks, levels, .*; not "check"$/],
    [{ security: () => undefined }, 'not "security"'],
  ])("the options %j", (options, message) => {
    const { server } = SERVERS["v2 McpServer"]?.() ?? {};
    expect(() => withToolValidation(server as object, options)).toThrow(message);
  });

  it.each([{}, [], new Map()])("%o, which is not a server", (server) => {
    expect(() => withToolValidation(server)).toThrow(/not a server of the MCP TypeScript SDK/);
  });

  it.each([ClientV1, ClientV2])("a client of the SDK", (Client) => {
    const client = new Client({ name: "c", version: "1" });
    expect(() => withToolValidation(client)).toThrow(/not a server of the MCP TypeScript SDK/);
  });

  it.each(Object.keys(SERVERS))("a %s that is already wrapped or connected", async (kind) => {
    const { server } = SERVERS[kind]?.() ?? {};
    withToolValidation(server as object);
    expect(() => withToolValidation(server as object)).toThrow(/wrap it once/);
    const other = SERVERS[kind]?.();
    const client = await connect("v2", other?.server as object);
    open.push(client);
    expect(() => withToolValidation(other?.server as object)).toThrow(/wrap it before connect/);
  });
});

describe("a tool with an unusable schema", () => {
  it("is reported as an error, and hides no other tool", async () => {
    const broken = {
      ...WRITE_FILE,
      name: "broken",
      inputSchema: { type: "object", $ref: "#/nowhere" },
    };
    const { client } = await start({}, [broken as TestTool, WRITE_FILE]);
    const calls = ["broken", "write_file"].map((tool) => ({ tool, arguments: GOOD }));
    const answer = await call(client, "validate", { calls });
    expect(answer["structuredContent"]).toMatchObject({
      results: [{ valid: false, issues: [{ rule: "schema" }] }, { valid: true }],
    });
  });
});
