/**
 * A stdio MCP server (2025-11-25) with the tools and results that its command line names.
 *
 *   node tools-server.mjs '{"tools": [TOOL…], "results": {"NAME": RESULT}}'
 *
 * A tool without a result returns its arguments as structured content. A call of an unknown tool is an error. The
 * argument may also be the path of a file with that text, which is read for each message.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , given = "{}"] = process.argv;
const read = () => JSON.parse(given.startsWith("{") ? given : readFileSync(given, "utf8"));

const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function resultOf({ method, params }) {
  const { tools, results = {} } = read();
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "tools", version: "1" },
    };
  }
  if (method === "tools/list") return { tools };
  if (method !== "tools/call") return {};
  if (!tools.some(({ name }) => name === params.name)) return undefined;
  const structuredContent = params.arguments ?? {};
  const text = JSON.stringify(structuredContent);
  return results[params.name] ?? { structuredContent, content: [{ type: "text", text }] };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const result = resultOf(message);
  const error = { code: -32602, message: "Unknown tool" };
  write(result === undefined ? { id: message.id, error } : { id: message.id, result });
});
