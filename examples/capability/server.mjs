// An MCP server that can say what a call would do before it is made. SDK v2, every MCP revision.
//   node examples/capability/server.mjs FOLDER
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { withToolValidation } from "@touchstone/capability";
import { isProgram } from "../is-program.mjs";
import { createChecks } from "./checks.mjs";
import { schemas } from "./schemas.mjs";

const done = (text) => ({ content: [{ type: "text", text }] });

export function createServer({ root, now }) {
  const server = new McpServer({ name: "desk", version: "1.0.0" });
  server.registerTool(
    "write_file",
    { description: "Writes a file.", inputSchema: fromJsonSchema(schemas.write_file) },
    async ({ path, content }) => {
      await mkdir(root, { recursive: true });
      await writeFile(resolve(root, path), content);
      return done(`${path} is written`);
    },
  );
  server.registerTool(
    "remind",
    { description: "Reminds of something.", inputSchema: fromJsonSchema(schemas.remind) },
    ({ text, at }) => done(`at ${at}: ${text}`),
  );
  return withToolValidation(server, {
    checks: createChecks({ root, now }),
    onFault: ({ code, message, cause }) => console.error(code, message, cause ?? ""),
  });
}

if (isProgram(import.meta.url)) {
  const [root = "."] = process.argv.slice(2);
  serveStdio(() => createServer({ root }));
}
