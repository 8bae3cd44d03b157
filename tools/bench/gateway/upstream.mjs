// The server behind the measured hop: `node upstream.mjs stdio`, or `http`, which prints its port. It does as little as
// it can.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { resultText, TOOLS } from "./tools.mjs";

function result({ method, params }) {
  if (method === "tools/call") return resultText(params.name, params.arguments);
  if (method === "tools/list") return JSON.stringify({ tools: TOOLS });
  if (method === "ping") return "{}";
  if (method !== "initialize") return undefined;
  return JSON.stringify({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1.0.0" },
  });
}

/** Returns the response to a message; undefined for a notification. */
function answer(message) {
  if (message.id === undefined) return undefined;
  const id = JSON.stringify(message.id);
  const text = result(message);
  if (text !== undefined) return `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`;
}

function serveStdio() {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const text = answer(JSON.parse(line));
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
}

function serveHttp() {
  let sessions = 0;
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const message = JSON.parse(body);
      const text = answer(message);
      if (text === undefined) {
        response.writeHead(202).end();
        return;
      }
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      };
      if (message.method === "initialize") headers["mcp-session-id"] = `s${++sessions}`;
      response.writeHead(200, headers).end(text);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
}

if (process.argv[2] === "http") serveHttp();
else serveStdio();
