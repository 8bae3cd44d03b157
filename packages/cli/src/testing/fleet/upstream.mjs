// The MCP server behind the gateways of the scale tests: `node upstream.mjs [milliseconds]` prints its port. It
// supports 2026-07-28 and, in sessions, 2025-11-25, and counts how often it ran each call: `GET /ran` returns the
// counts.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const META = "io.modelcontextprotocol/";
const STATELESS = "2026-07-28";
const SESSIONS = "2025-11-25";
const SERVER_INFO = { name: "scale", version: "1.0.0" };
const CAPABILITIES = { tools: {} };
const CACHING = { ttlMs: 600_000, cacheScope: "public" };
const delayMs = Number(process.argv[2] ?? 0);

const INPUT = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 1000 },
    limit: { type: "integer", minimum: 1, maximum: 10_000 },
    state: { enum: ["open", "closed"] },
  },
  required: ["text"],
  additionalProperties: false,
};
const OUTPUT = {
  type: "object",
  properties: {
    echo: { type: "string" },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "integer" },
          name: { type: "string" },
          done: { type: "boolean" },
        },
        required: ["id", "name", "done"],
        additionalProperties: false,
      },
    },
  },
  required: ["echo", "items"],
  additionalProperties: false,
};
const tool = (name, annotations) => ({
  name,
  annotations,
  inputSchema: INPUT,
  outputSchema: OUTPUT,
});
const TOOLS = [
  tool("look", { readOnlyHint: true }),
  tool("put", { readOnlyHint: false, idempotentHint: true }),
  tool("send", { readOnlyHint: false, idempotentHint: false }),
];
/** About 1 KB. */
const ITEMS = JSON.stringify(
  Array.from({ length: 18 }, (_, id) => ({ id, name: `the item of ${id}`, done: id % 2 === 0 })),
);

const sessions = new Set();
const ran = new Map();

/** Returns the members of a result, as JSON text without braces; undefined for an unknown method. */
function members(method, params, stateless) {
  switch (method) {
    case "initialize":
      return inner({
        protocolVersion: SESSIONS,
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
      });
    case "server/discover":
      if (!stateless) return undefined;
      return inner({ supportedVersions: [STATELESS], capabilities: CAPABILITIES, ...CACHING });
    case "ping":
      return "";
    case "tools/list":
      return inner({ tools: TOOLS, ...(stateless ? CACHING : {}) });
    case "tools/call": {
      const { text } = params.arguments;
      const key = `${params.name} ${text}`;
      ran.set(key, (ran.get(key) ?? 0) + 1);
      const echo = JSON.stringify(text);
      return `"content":[{"type":"text","text":"done"}],"structuredContent":{"echo":${echo},"items":${ITEMS}}`;
    }
  }
  return undefined;
}

const inner = (value) => JSON.stringify(value).slice(1, -1);

function answer({ id, method, params }, stateless) {
  const key = JSON.stringify(id);
  const text = members(method, params, stateless);
  if (text === undefined) {
    return `{"jsonrpc":"2.0","id":${key},"error":{"code":-32601,"message":"Method not found"}}`;
  }
  const more = stateless
    ? [`"resultType":"complete"`, `"_meta":{"${META}serverInfo":${JSON.stringify(SERVER_INFO)}}`]
    : [];
  const result = [...more, text].filter((part) => part !== "").join(",");
  return `{"jsonrpc":"2.0","id":${key},"result":{${result}}}`;
}

function post(message, headers, response) {
  const stateless = message.params?._meta?.[`${META}protocolVersion`] !== undefined;
  const session = headers["mcp-session-id"];
  if (!stateless && message.method !== "initialize" && !sessions.has(session)) {
    const error = { code: -32001, message: "Session not found" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, error });
    response.writeHead(404, { "content-type": "application/json" }).end(body);
    return;
  }
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const text = answer(message, stateless);
  const own = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  if (message.method === "initialize") {
    own["mcp-session-id"] = randomUUID();
    sessions.add(own["mcp-session-id"]);
  }
  response.writeHead(200, own).end(text);
}

const server = createServer((request, response) => {
  if (request.url === "/ran") {
    response.end(JSON.stringify([...ran]));
    return;
  }
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
    const reply = () => post(message, request.headers, response);
    if (delayMs > 0 && message.method === "tools/call") setTimeout(reply, delayMs);
    else reply();
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
