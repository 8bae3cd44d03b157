// A stdio MCP server of the official SDK that speaks every revision, for tests: a structured result, a result that
// differs each time, progress, and a secret in arguments and results.
import { setImmediate } from "node:timers/promises";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties, required = Object.keys(properties)) =>
  fromJsonSchema({ type: "object", properties, required });
const CITY = { city: { type: "string" } };
const READING = object({
  degrees: { type: "number" },
  sky: { enum: ["clear", "rain"] },
  token: { type: "string", pattern: "^[0-9a-f]{8}$" },
});
let count = 0;

function create() {
  const server = new McpServer({ name: "dual-era", version: "1.0.0" });
  server.registerTool(
    "weather",
    { description: "Weather.", inputSchema: object(CITY), outputSchema: READING },
    ({ city }) => {
      const reading = { degrees: city.length, sky: "rain", token: "0badc0de" };
      return { ...text(JSON.stringify(reading)), structuredContent: reading };
    },
  );
  server.registerTool("next", { description: "Counts.", inputSchema: object({}) }, () => {
    count += 1;
    return text(`call ${count}`);
  });
  server.registerTool(
    "login",
    { description: "Logs in.", inputSchema: object({ user: CITY.city, password: CITY.city }) },
    ({ user }) => text(`welcome, ${user}`),
  );
  server.registerTool(
    "steps",
    { description: "Reports progress.", inputSchema: object({}) },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progressToken !== undefined && progress <= 3; progress += 1) {
        const params = { progressToken, progress, total: 3 };
        await mcpReq.notify({ method: "notifications/progress", params });
        await setImmediate();
      }
      return text("done");
    },
  );
  return server;
}

serveStdio(create);
