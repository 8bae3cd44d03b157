// The benchmark's server, made with the official SDK: `node sdk-upstream.mjs stdio`, or `http`, which
// prints its port.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { resultText, TOOLS } from "./tools.mjs";

function server() {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    JSON.parse(resultText(params.name, params.arguments)),
  );
  return server;
}

function serveHttp() {
  const sessions = new Map();
  async function transportOf(id) {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (session) => sessions.set(session, transport),
    });
    await server().connect(transport);
    return transport;
  }
  const http = createServer(async (request, response) => {
    const transport = await transportOf(request.headers["mcp-session-id"]);
    await transport.handleRequest(request, response);
  });
  http.keepAliveTimeout = 600_000;
  http.listen(0, "127.0.0.1", () => process.stdout.write(`${http.address().port}\n`));
}

if (process.argv[2] === "http") serveHttp();
else await server().connect(new StdioServerTransport());
