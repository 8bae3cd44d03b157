import { Client as ClientV2, InMemoryTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as TransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  fromJsonSchema,
  McpServer as McpServerV2,
  Server as ServerV2,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const info = { name: "test", version: "1.0.0" };

/** A tool as a low-level server declares it. */
export interface TestTool {
  readonly name: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly outputSchema?: { readonly type: "object"; readonly [keyword: string]: unknown };
}

/** The tool that every test server has. */
export const WRITE_FILE: TestTool = {
  name: "write_file",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, size: { type: "number" } },
    required: ["path"],
  },
};

/** A test server, and the tools that it ran. */
export interface TestServer {
  /** The names of the tools that ran. */
  readonly ran: string[];
  readonly server: object & { close(): Promise<void> };
}

export type MakeServer = (tools?: readonly TestTool[]) => TestServer;

const text = (name: string) => ({ content: [{ type: "text" as const, text: `${name} ran` }] });

/** Returns a page of two tools, so that longer lists have several pages. */
function page(tools: readonly TestTool[], cursor: string | undefined) {
  const from = Number(cursor ?? 0);
  const next = from + 2 < tools.length ? { nextCursor: String(from + 2) } : {};
  return { tools: tools.slice(from, from + 2), ...next };
}

/** Servers of both generations, low-level and high-level. High-level ones have `write_file` by Zod. */
export const SERVERS: Readonly<Record<string, MakeServer>> = {
  "v1 Server": (tools = [WRITE_FILE]) => {
    const ran: string[] = [];
    const server = new ServerV1(info, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => page(tools, params?.cursor));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      ran.push(params.name);
      return text(params.name);
    });
    return { ran, server };
  },
  "v2 Server": (tools = [WRITE_FILE]) => {
    const ran: string[] = [];
    const server = new ServerV2(info, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", ({ params }) => page(tools, params?.cursor));
    server.setRequestHandler("tools/call", ({ params }) => {
      ran.push(params.name);
      return text(params.name);
    });
    return { ran, server };
  },
  "v1 McpServer": (tools = [WRITE_FILE]) => {
    const ran: string[] = [];
    const server = new McpServerV1(info);
    for (const { name } of tools) {
      const inputSchema = { path: z.string(), size: z.number().optional() };
      server.registerTool(name, { inputSchema }, () => {
        ran.push(name);
        return text(name);
      });
    }
    return { ran, server };
  },
  "v2 McpServer": (tools = [WRITE_FILE]) => {
    const ran: string[] = [];
    const server = new McpServerV2(info);
    for (const { name, inputSchema } of tools) {
      server.registerTool(name, { inputSchema: fromJsonSchema(inputSchema) }, () => {
        ran.push(name);
        return text(name);
      });
    }
    return { ran, server };
  },
};

type AnyServer = { connect(transport: unknown): Promise<void> };

export type TestClient = ClientV1 | ClientV2;

/** Connects a client of one SDK generation, in memory, to a server of the same or the other generation. */
export async function connect(generation: "v1" | "v2", server: object): Promise<TestClient> {
  if (generation === "v1") {
    const [here, there] = TransportV1.createLinkedPair();
    const client = new ClientV1(info);
    await Promise.all([(server as AnyServer).connect(there), client.connect(here)]);
    return client;
  }
  const [here, there] = TransportV2.createLinkedPair();
  const client = new ClientV2(info);
  await Promise.all([(server as AnyServer).connect(there), client.connect(here)]);
  return client;
}

/** Calls a tool, the same way with either client. */
export async function call(
  client: TestClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return (await client.callTool({ name, arguments: args })) as Record<string, unknown>;
}
