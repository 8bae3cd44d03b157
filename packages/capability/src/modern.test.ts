import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import { ToolValidator } from "./client/tool-validator.ts";
import { withToolValidation } from "./server/with-tool-validation.ts";
import { WRITE_FILE } from "./testing/sdk.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** A server on 2026-07-28, where each request has a server instance of its own. */
async function modern() {
  const asked: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "files", version: "1" });
    const inputSchema = fromJsonSchema(WRITE_FILE.inputSchema);
    server.registerTool("write_file", { inputSchema }, () => ({ content: [] }));
    return withToolValidation(server, {
      caching: { ttl: 60 },
      checks: {
        write_file: {
          semantic: ({ path }) => {
            asked.push(String(path));
            return path === "/etc" ? { errors: ["a directory"] } : undefined;
          },
        },
      },
    });
  });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch });
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(transport);
  open.push(client, handler);
  return { client, handler, asked };
}

describe("on MCP 2026-07-28, over Streamable HTTP", () => {
  it("is announced in server/discover and works", async () => {
    const { client } = await modern();
    expect(client.getProtocolEra()).toBe("modern");
    expect(client.getDiscoverResult()?.capabilities).toMatchObject({
      experimental: { toolValidation: { supported: true, method: "validate" } },
    });
    const validator = new ToolValidator({ files: client });
    const calls = ["/etc", "/tmp"].map((path) => ({
      tool: "files:write_file",
      arguments: { path },
    }));
    expect(await validator.validateTools(calls)).toMatchObject([
      { valid: false, errors: ["a directory"], method: "native", native: { status: "ok" } },
      {
        valid: true,
        method: "native",
        levelsNotRun: [{ level: "runtime" }, { level: "security" }],
      },
    ]);
  });

  it("drops results on a change that the application reports", async () => {
    const { client, handler, asked } = await modern();
    const validator = new ToolValidator({ files: client });
    const ask = () => validator.validateTool("files:write_file", { path: "/a" });
    await ask();
    await ask();
    expect(asked).toEqual(["/a"]);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
    });
    const subscription = await client.listen({ toolsListChanged: true });
    await ask();
    expect(asked).toHaveLength(1);
    handler.notify.toolsChanged();
    await changed;
    await ask();
    expect(asked).toHaveLength(2);
    await subscription.close();
  });
});
