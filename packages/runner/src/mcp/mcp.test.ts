import { Client as ClientV2, InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as McpServerV2, Server as ServerV2 } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InvalidSchemaError } from "../index.ts";
import {
  checkedClient,
  checkedTools,
  type McpToolDefinition,
  mcpSchemaValidator,
  toolSchema,
} from "./index.ts";

const inputSchema = {
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
};
const outputSchema = { type: "object", properties: { degrees: { type: "number" } } };

const handler = vi.fn((args: unknown): unknown => ({
  content: [{ type: "text", text: JSON.stringify(args) }],
  structuredContent: { degrees: 1 },
}));
afterEach(() => handler.mockClear());

const tools = () =>
  checkedTools([{ name: "get_weather", description: "d", inputSchema, outputSchema, handler }]);

async function v1() {
  const { list, call } = tools();
  const server = new ServerV1({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, list);
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => call(params, extra));
  const client = new ClientV1({ name: "c", version: "1" });
  const [here, there] = MemoryV1.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

async function v2(server: ServerV2 | McpServerV2 = low()) {
  const client = new ClientV2({ name: "c", version: "1" });
  const [here, there] = MemoryV2.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

function low() {
  const { list, call } = tools();
  const server = new ServerV2({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", list);
  server.setRequestHandler("tools/call", ({ params }, context) => call(params, context));
  return server;
}

function registered() {
  const server = new McpServerV2({ name: "s", version: "1" });
  const config = { inputSchema: toolSchema(inputSchema, { name: "get_weather" }) };
  server.registerTool("get_weather", config as never, handler as never);
  return server;
}

describe.each([
  ["Server of the SDK v1", v1],
  ["Server of the SDK v2", v2],
  ["registerTool of the SDK v2", () => v2(registered())],
] as const)("%s", (name, connect) => {
  it("lists JSON Schema, and runs a handler only on valid arguments", async () => {
    const client = await connect();
    const { tools: listed } = await client.listTools();
    expect(listed[0]?.inputSchema).toMatchObject({ type: "object", ...inputSchema });
    expect(listed[0]).not.toHaveProperty("handler");
    const call = (args: Record<string, unknown>) =>
      client.callTool({ name: "get_weather", arguments: args });
    const refused = await call({ town: "secret", days: "2" });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toMatch(/\/city.*required.*\/days.*integer/);
    expect(JSON.stringify(refused.content)).not.toContain("secret");
    expect(handler).not.toHaveBeenCalled();
    await expect(call({ city: "Oslo" })).resolves.toMatchObject({
      structuredContent: { degrees: 1 },
    });
    expect(handler).toHaveBeenCalledTimes(1);
    if (name !== "registerTool of the SDK v2") {
      handler.mockReturnValueOnce({ content: [], structuredContent: { degrees: "warm" } });
      const bad = await call({ city: "Oslo" });
      expect(bad).toMatchObject({ isError: true });
      expect(JSON.stringify(bad.content)).toMatch(/output schema.*\/degrees/);
      await expect(client.callTool({ name: "none", arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
    }
    await client.close();
  });
});

describe("checkedTools", () => {
  it("checks absent arguments as an empty object, and does not check error results", async () => {
    const { call } = tools();
    await expect(call({ name: "get_weather" }, undefined)).resolves.toMatchObject({
      isError: true,
    });
    handler.mockReturnValueOnce({ content: [], structuredContent: { degrees: Number.NaN } });
    // NaN is checked as `null`, because that is how JSON writes it.
    const sent = await call({ name: "get_weather", arguments: { city: "a" } }, undefined);
    expect(JSON.stringify(sent)).toContain("/degrees: must be a number; it is null");
    handler.mockReturnValueOnce({ content: [], isError: true });
    const result = await call({ name: "get_weather", arguments: { city: "a" } }, undefined);
    expect(result).toEqual({ content: [], isError: true });
  });

  it.each<[unknown, string]>([
    [undefined, 'is an object with `type: "object"`'],
    [null, 'is an object with `type: "object"`'],
    [{ type: "string" }, "are an object, and this type does not allow one"],
  ])(
    "lists no tool with the schema %j, which would make clients refuse the whole list",
    (schema, what) => {
      const handler = (): unknown => ({ content: [] });
      const definitions = [{ name: "t", inputSchema: schema, handler }];
      const make = (): unknown => checkedTools(definitions);
      expect(make).toThrow(InvalidSchemaError);
      expect(make).toThrow(what);
      if (schema !== undefined && schema !== null) return;
      const tools = checkedTools(definitions, { lenient: true });
      expect(tools.list()).toEqual({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
      expect(tools.contracts.get("t")?.input).toMatchObject({
        checked: false,
        reason: "no_schema",
      });
    },
  );

  it("is not created from a tool without a handler", () => {
    const tool = { name: "t", inputSchema: {} } as McpToolDefinition;
    expect(() => checkedTools([tool])).toThrow(new TypeError('the tool "t" has no handler'));
  });

  it("passes on a handler's exception, and refuses two tools of the same name", async () => {
    const failure = new Error("own");
    const tool = { name: "t", inputSchema: {}, handler: () => Promise.reject(failure) };
    await expect(checkedTools([tool]).call({ name: "t" }, undefined)).rejects.toBe(failure);
    expect(() => checkedTools([tool, tool])).toThrow(TypeError);
    expect(() => checkedTools([{ ...tool, inputSchema: { type: "x" } }])).toThrow(
      InvalidSchemaError,
    );
  });
});

describe("checkedClient", () => {
  const listed = [{ name: "get_weather", inputSchema, outputSchema }];
  const answer = vi.fn(
    async (_params: unknown, _options?: unknown): Promise<unknown> => ({ structuredContent: {} }),
  );
  const client = checkedClient({ callTool: answer }, listed);
  afterEach(() => answer.mockReset());

  it("sends nothing that violates the input schema", async () => {
    for (const args of [undefined, {}, { city: 1 }]) {
      const params = { name: "get_weather", ...(args === undefined ? {} : { arguments: args }) };
      await expect(client.callTool(params)).resolves.toMatchObject({ isError: true });
    }
    expect(answer).not.toHaveBeenCalled();
  });

  it("does not accept null as an object, and repairs absent arguments", async () => {
    const properties = { n: { type: "integer", default: 5 } };
    const tools = [{ name: "t", inputSchema: { type: "object", properties } }];
    const open = checkedClient({ callTool: answer }, tools);
    const refused = await open.callTool({ name: "t", arguments: null as never });
    expect(refused).toMatchObject({ isError: true });
    expect(answer).not.toHaveBeenCalled();
    await open.callTool({ name: "t" });
    const needs = [{ name: "t", inputSchema: { ...tools[0]?.inputSchema, required: ["n"] } }];
    const filling = checkedClient({ callTool: answer }, needs, { repair: ["fill-defaults"] });
    await filling.callTool({ name: "t" });
    expect(answer.mock.calls).toEqual([[{ name: "t" }], [{ name: "t", arguments: { n: 5 } }]]);
  });

  it("sends repaired arguments, and leaves the caller's object unchanged", async () => {
    const repairing = checkedClient({ callTool: answer }, listed, { repair: ["coerce-scalars"] });
    const params = { name: "get_weather", arguments: { city: "Oslo", days: "3" }, _meta: {} };
    const result = { structuredContent: {} };
    answer.mockResolvedValueOnce(result);
    await expect(repairing.callTool(params)).resolves.toBe(result);
    expect(answer.mock.calls).toEqual([[{ ...params, arguments: { city: "Oslo", days: 3 } }]]);
    expect(params.arguments.days).toBe("3");
  });

  it("checks nothing by an unusable schema if it is lenient", async () => {
    const broken = [{ name: "t", inputSchema: { type: "x" }, outputSchema: { type: "x" } }];
    expect(() => checkedClient({ callTool: answer }, broken)).toThrow(InvalidSchemaError);
    const lenient = checkedClient({ callTool: answer }, broken, { lenient: true });
    expect(lenient.contracts.get("t")).toMatchObject({
      input: { checked: false, reason: "unusable_schema" },
      output: { checked: false, reason: "unusable_schema" },
    });
    const result = { structuredContent: 1 };
    answer.mockResolvedValueOnce(result);
    await expect(lenient.callTool({ name: "t", arguments: { a: 1 } })).resolves.toBe(result);
  });

  it("passes on valid calls, options and results unchanged", async () => {
    const params = { name: "get_weather", arguments: { city: "Oslo" } };
    const options = {};
    const result = { structuredContent: { degrees: 1 } };
    answer.mockResolvedValueOnce(result);
    await expect(client.callTool(params, options)).resolves.toBe(result);
    expect(answer.mock.calls[0]?.[0]).toBe(params);
    expect(answer.mock.calls[0]?.[1]).toBe(options);
    const other = { name: "unlisted", arguments: { any: 1 } };
    answer.mockResolvedValueOnce(result);
    await expect(client.callTool(other)).resolves.toBe(result);
  });

  it.each([
    [{ structuredContent: { degrees: "warm" } }, true],
    [{ content: [] }, true],
    [{}, true],
    [undefined, true],
    [{ isError: true, content: [] }, false],
    [{ resultType: "input_required" }, false],
    [{ task: { taskId: "1" } }, false],
    [{ resultType: "complete", structuredContent: {} }, false],
  ])("checks the result %j", async (result, refused) => {
    answer.mockResolvedValueOnce(result);
    const given = await client.callTool({ name: "get_weather", arguments: { city: "a" } });
    if (refused) expect(JSON.stringify(given)).toContain("does not match its output schema");
    else expect(given).toBe(result);
  });

  it("passes on the client's exceptions, and says what it checks", async () => {
    const failure = new Error("gone");
    answer.mockRejectedValueOnce(failure);
    const call = client.callTool({ name: "get_weather", arguments: { city: "a" } });
    await expect(call).rejects.toBe(failure);
    expect(client.contracts.get("get_weather")?.output.checked).toBe(true);
    expect(mcpSchemaValidator().getValidator(outputSchema)({ degrees: "x" }).valid).toBe(false);
  });
});
