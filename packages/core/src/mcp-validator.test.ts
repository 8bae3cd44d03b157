import { Client as ClientV2, InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { SchemaCache } from "./cache.ts";
import { mcpSchemaValidator } from "./mcp-validator.ts";

const output = {
  $id: "https://example.com/shared",
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  unevaluatedProperties: false,
} as const;

describe("mcpSchemaValidator", () => {
  it("returns the value itself if it is valid, and one error text if not", () => {
    const validate = mcpSchemaValidator().getValidator(output);
    const value = { n: 1 };
    expect(validate(value)).toEqual({ valid: true, data: value, errorMessage: undefined });
    expect(validate({ constructor: 1 })).toEqual({
      valid: false,
      data: undefined,
      errorMessage: "/n is required; /constructor is not declared",
    });
  });

  it("throws for an unusable schema and reports where it fails", () => {
    const { getValidator } = mcpSchemaValidator();
    expect(() => getValidator({ properties: { a: { type: "strin" } } })).toThrow(
      /\/properties\/a\/type/,
    );
  });

  it("keeps compiled schemas in the cache that it was given", () => {
    const cache = new SchemaCache();
    mcpSchemaValidator({ cache }).getValidator(output);
    expect(cache.size).toBe(1);
  });

  it("accepts values of any size up to its limits", () => {
    const nested = (levels: number): unknown =>
      JSON.parse(`{"n":${"[".repeat(levels)}${"]".repeat(levels)}}`);
    const validates = (limits: object | undefined, input: unknown) =>
      mcpSchemaValidator({ limits }).getValidator({ type: "object" })(input).valid;
    expect(validates(undefined, nested(63))).toBe(true);
    expect(validates(undefined, nested(64))).toBe(false);
    expect(validates({ maxDepth: 200 }, nested(199))).toBe(true);
    expect(validates({ maxDepth: 200 }, nested(200))).toBe(false);
    expect(validates({ maxBytes: 1_000 }, { text: "x".repeat(900) })).toBe(true);
    expect(validates({ maxBytes: 1_000 }, { text: "x".repeat(1_000) })).toBe(false);
  });

  it("keeps two schemas with the same $id apart", () => {
    const { getValidator } = mcpSchemaValidator();
    const other = getValidator({ $id: output.$id, type: "string" });
    expect(getValidator(output)({ n: 1 }).valid).toBe(true);
    expect(other("text").valid).toBe(true);
  });

  it("checks results inside a client of SDK v1", async () => {
    const server = new ServerV1({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    const tool = { name: "t", inputSchema: { type: "object" as const }, outputSchema: output };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [],
      structuredContent: params.arguments ?? {},
    }));
    const client = new ClientV1(
      { name: "c", version: "1" },
      { jsonSchemaValidator: mcpSchemaValidator() },
    );
    const [a, b] = MemoryV1.createLinkedPair();
    await Promise.all([server.connect(a), client.connect(b)]);
    await client.listTools();
    await expect(client.callTool({ name: "t", arguments: { n: 1 } })).resolves.toMatchObject({
      structuredContent: { n: 1 },
    });
    await expect(client.callTool({ name: "t", arguments: { n: "1" } })).rejects.toThrow(
      "/n must be an integer (got a string of 1 character)",
    );
    await client.close();
  });

  it.each([0, 1])("never cuts a long text inside a character: %i", (shift) => {
    const texts = Array.from({ length: 12 }, (_, i) => "a".repeat(shift) + i + "😀".repeat(400));
    const schema = { items: { enum: texts } };
    const { errorMessage = "" } = mcpSchemaValidator().getValidator(schema)(Array(20).fill(1));
    expect(errorMessage.endsWith("…")).toBe(true);
    expect(errorMessage.length).toBeLessThanOrEqual(4096);
    expect(errorMessage.isWellFormed()).toBe(true);
  });

  it("checks arguments and results inside a server and a client of SDK v2", async () => {
    const provider = mcpSchemaValidator();
    const server = new McpServer({ name: "s", version: "1" });
    const input = { type: "object", properties: { n: {} }, required: ["n"] };
    server.registerTool(
      "t",
      {
        inputSchema: fromJsonSchema(input, provider),
        outputSchema: fromJsonSchema(output, provider),
      },
      (args) => ({ content: [], structuredContent: args as Record<string, unknown> }),
    );
    const client = new ClientV2({ name: "c", version: "1" }, { jsonSchemaValidator: provider });
    const [a, b] = MemoryV2.createLinkedPair();
    await Promise.all([server.connect(a), client.connect(b)]);
    await client.listTools();
    await expect(client.callTool({ name: "t", arguments: { n: 1 } })).resolves.toMatchObject({
      structuredContent: { n: 1 },
    });
    const missing = await client.callTool({ name: "t", arguments: {} });
    expect(missing).toMatchObject({ isError: true });
    expect(JSON.stringify(missing.content)).toContain("/n is required");
    const wrong = await client.callTool({ name: "t", arguments: { n: "1" } });
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong.content)).toContain("/n must be an integer");
    await client.close();
  });
});
