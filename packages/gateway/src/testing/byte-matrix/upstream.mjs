/**
 * An MCP server that returns the results of `cases.mjs`, over stdio, or with `--http json|sse` over Streamable HTTP
 * (it then writes its port to stderr).
 */
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { announcement, OUTPUT_SCHEMA, resultText } from "./cases.mjs";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const waiting = new Map();

function tools(modern) {
  const input = { type: "object" };
  const list = [
    { name: "none", inputSchema: input },
    { name: "declared", inputSchema: input, outputSchema: OUTPUT_SCHEMA },
  ];
  const rest = modern ? { resultType: "complete", ttlMs: 60_000, cacheScope: "public" } : {};
  return JSON.stringify({ tools: list, ...rest });
}

function called(params, modern) {
  const { task, ...given } = params.arguments;
  if (given.kind !== "fetched") return resultText(given, modern, task);
  waiting.set(task, given);
  return announcement(modern, task);
}

function fetched(method, params) {
  const modern = method === "tasks/get";
  const text = resultText(waiting.get(params.taskId), modern);
  if (!modern) return text;
  const times = '"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"';
  return `{"resultType":"complete","taskId":"${params.taskId}","status":"completed",${times},"ttl":1,"result":${text}}`;
}

function resultFor({ method, params = {} }) {
  const modern = params._meta?.[VERSION_KEY] !== undefined;
  const info = { serverInfo: { name: "matrix", version: "1" }, capabilities: { tools: {} } };
  switch (method) {
    case "initialize":
      return JSON.stringify({ protocolVersion: params.protocolVersion, ...info });
    case "server/discover":
      return JSON.stringify({ resultType: "complete", supportedVersions: ["2026-07-28"], ...info });
    case "tools/list":
      return tools(modern);
    case "tools/call":
      return called(params, modern);
    case "tasks/get":
    case "tasks/result":
      return fetched(method, params);
    default:
      return undefined;
  }
}

function answerTo(text) {
  const message = JSON.parse(text);
  if (message.id === undefined) return undefined;
  const result = resultFor(message);
  const id = JSON.stringify(message.id);
  if (result !== undefined) return `{"jsonrpc":"2.0" ,"result":${result},"id":${id}}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"unknown"}}`;
}

const [flag, shape] = process.argv.slice(2);
if (flag === "--http") {
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const answer = answerTo(text);
      const session = text.includes('"initialize"') ? { "mcp-session-id": "one" } : {};
      if (answer === undefined) response.writeHead(202).end();
      else if (shape === "sse" && !text.includes('"initialize"')) {
        response.writeHead(200, { "content-type": "text/event-stream", ...session });
        response.end(`event: message\ndata: ${answer}\n\n`);
      } else {
        response.writeHead(200, { "content-type": "application/json", ...session }).end(answer);
      }
    });
  });
  server.listen(0, "127.0.0.1", () => process.stderr.write(`port ${server.address().port}\n`));
} else {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = answerTo(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  });
}
