// The same server on SDK v1, with a low-level Server.
//   node examples/capability/server-v1.mjs FOLDER
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { withToolValidation } from "@touchstone/capability";
import { isProgram } from "../is-program.mjs";
import { createChecks } from "./checks.mjs";
import { schemas } from "./schemas.mjs";

export function createServer({ root, now }) {
  const server = new Server({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: "text", text: `${params.name} ran` }],
  }));
  return withToolValidation(server, { checks: createChecks({ root, now }) });
}

if (isProgram(import.meta.url)) {
  const [root = "."] = process.argv.slice(2);
  await createServer({ root }).connect(new StdioServerTransport());
}
