/**
 * An MCP server whose tools are named after what their calls do. As a program, it serves stdio, and writes the method
 * of each message to stderr:
 *
 *   node named-tools.mjs legacy|modern
 */
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const number = (type) => ({
  type: "object",
  properties: { n: { type } },
  required: ["n"],
  additionalProperties: false,
});

/** What a call does, by the name of its tool. */
export const CALLS = {
  work: "returns n",
  narrowed: "returns n; for a gateway that narrows it",
  denied: "returns n; for a gateway that denies it",
  limited: "returns n; for a gateway that limits its calls",
  wrong: "returns what its output schema does not accept",
  failing: "returns a result with isError",
  erring: "responds with an error",
  large: "returns more than the gateway reads",
  slow: "reports progress, and returns n",
  silent: "never responds",
  exiting: "ends the server",
  asking: "asks for input (legacy: elicitation/create)",
};

const TOOLS = Object.keys(CALLS).map((name) => ({
  name,
  inputSchema: number("integer"),
  outputSchema: number("integer"),
}));

const CACHING = { ttlMs: 60_000, cacheScope: "public" };
const LARGE = 300_000;

/** The result of a call. */
function called({ name, arguments: args }, progressToken) {
  const text = { content: [{ type: "text", text: name }], structuredContent: { n: args.n } };
  switch (name) {
    case "wrong":
      return [{ result: { ...text, structuredContent: { n: "one" } } }];
    case "failing":
      return [{ result: { content: text.content, isError: true } }];
    case "erring":
      return [{ error: { code: -32_000, message: "no room", data: { free: 0 } } }];
    case "large":
      return [{ result: { ...text, content: [{ type: "text", text: "x".repeat(LARGE) }] } }];
    case "slow": {
      const params = { progressToken, progress: 1, total: 1 };
      const report = { method: "notifications/progress", params };
      return progressToken === undefined ? [{ result: text }] : [report, { result: text }];
    }
    default:
      return [{ result: text }];
  }
}

/**
 * Returns the messages in response to a request, of which those without a `method` have its id; "silent" if there are
 * none, "exiting" if the server ends.
 * @param {string} era "legacy" or "modern"
 */
export function messagesFor({ method, params }, era) {
  const complete = era === "modern" ? { resultType: "complete" } : {};
  const result = (members) => [{ result: { ...complete, ...members } }];
  const info = { capabilities: { tools: {} }, serverInfo: { name: "named", version: "1" } };
  switch (method) {
    case "initialize":
      if (era === "legacy") return result({ protocolVersion: "2025-11-25", ...info });
      break;
    case "server/discover":
      if (era === "modern") return result({ supportedVersions: ["2026-07-28"], ...info });
      break;
    case "tools/list":
      return result({ tools: TOOLS, ...(era === "modern" ? CACHING : {}) });
    case "tools/call": {
      const { name } = params;
      if (name === "silent" || name === "exiting") return name;
      if (name === "asking" && era === "legacy") {
        const asks = { message: "Which n?", requestedSchema: { type: "object", properties: {} } };
        return [{ id: "ask", method: "elicitation/create", params: asks }];
      }
      if (name === "asking") {
        const params = { message: "Which n?", requestedSchema: { type: "object", properties: {} } };
        const inputRequests = { n: { method: "elicitation/create", params } };
        return [{ result: { resultType: "input_required", inputRequests } }];
      }
      const messages = called(params, params._meta?.progressToken);
      return messages.map((message) =>
        "result" in message ? { result: { ...complete, ...message.result } } : message,
      );
    }
  }
  return [{ error: { code: -32_601, message: `Method not found: ${method}` } }];
}

/** The result of the call `asking` after the client has responded to its request. */
export function afterAsking({ result, error }) {
  const text = error === undefined ? JSON.stringify(result) : `the client said: ${error.message}`;
  return { result: { content: [{ type: "text", text }], structuredContent: { n: 0 } } };
}

function serve(era) {
  let asking;
  const send = (id) => (message) => {
    const own = message.method === undefined ? { id } : {};
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...own, ...message })}\n`);
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    process.stderr.write(`${message.method ?? "response"} ${line}\n`);
    if (message.method === undefined) send(asking)(afterAsking(message));
    if (message.method === undefined || message.id === undefined) return;
    if (message.params?.name === "asking") asking = message.id;
    const messages = messagesFor(message, era);
    if (messages === "exiting") process.exit(3);
    if (messages !== "silent") messages.forEach(send(message.id));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2]);
