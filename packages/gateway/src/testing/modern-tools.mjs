// What servers of the official SDK offer in tests of the bridge.
import { setImmediate } from "node:timers/promises";
import {
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const schema = (value) => fromJsonSchema(value);
const object = (properties, required = Object.keys(properties)) =>
  schema({ type: "object", properties, required });

/** Makes a server with tools, prompts, resources and completion. */
export function createModernServer() {
  const server = new McpServer(
    { name: "modern", version: "7.1.0", title: "Modern" },
    { instructions: "Ask for é.", capabilities: { logging: {} } },
  );
  server.registerTool(
    "weather",
    {
      description: "Weather.",
      inputSchema: object({ city: { type: "string" } }),
      outputSchema: object({ degrees: { type: "number" } }),
    },
    ({ city }) => ({ ...text(city), structuredContent: { degrees: city.length } }),
  );
  server.registerTool(
    "cities",
    {
      description: "Cities.",
      inputSchema: object({}),
      outputSchema: schema({
        type: "array",
        items: { $ref: "#/$defs/city" },
        $defs: { city: { type: "string" } },
      }),
    },
    () => ({ ...text("two"), structuredContent: ["Rome", "Oslo"] }),
  );
  server.registerTool(
    "either",
    {
      description: "An object, by a schema with another root.",
      inputSchema: object({}),
      outputSchema: schema({ anyOf: [{ type: "object" }, { type: "string" }] }),
    },
    () => ({ ...text("one"), structuredContent: { found: true } }),
  );
  server.registerTool(
    "regional",
    {
      description: "Repeats an argument in a header.",
      inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }),
    },
    ({ region }) => text(region),
  );
  server.registerTool(
    "steps",
    { description: "Reports progress.", inputSchema: object({}) },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progressToken !== undefined && progress <= 3; progress += 1) {
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 3 },
        });
        await setImmediate();
      }
      return text("done");
    },
  );
  server.registerTool(
    "logs",
    { description: "Writes log messages.", inputSchema: object({}) },
    async (_args, { mcpReq }) => {
      await mcpReq.log("info", "a little");
      await mcpReq.log("error", "a lot");
      return text("logged");
    },
  );
  server.registerTool("asks", { description: "Asks for input.", inputSchema: object({}) }, () =>
    inputRequired({ requestState: "s" }),
  );
  server.registerTool(
    "confirm",
    { description: "Asks for input of each kind, in two rounds.", inputSchema: object({}) },
    (_args, { mcpReq }) => {
      const { inputResponses = {} } = mcpReq;
      const state = JSON.parse(mcpReq.requestState() ?? "{}");
      const { who = state.who, model, dirs } = inputResponses;
      if (who === undefined) {
        const requestedSchema = {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        };
        const inputRequests = { who: inputRequired.elicit({ message: "Who?", requestedSchema }) };
        return inputRequired({ inputRequests });
      }
      if (model !== undefined) return text(JSON.stringify([who, model.content, dirs.roots]));
      const messages = [{ role: "user", content: { type: "text", text: "Hi?" } }];
      return inputRequired({
        inputRequests: {
          model: inputRequired.createMessage({ messages, maxTokens: 5 }),
          dirs: inputRequired.listRoots(),
        },
        requestState: JSON.stringify({ who }),
      });
    },
  );
  server.registerPrompt(
    "greet",
    { argsSchema: object({ name: { type: "string" } }) },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Hi ${name}` } }] }),
  );
  server.registerResource("note", "note://1", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, text: "note" }],
  }));
  server.registerResource(
    "notes",
    new ResourceTemplate("note://{id}/text", {
      list: undefined,
      complete: { id: (value) => [`${value}1`, `${value}2`] },
    }),
    {},
    (uri) => ({ contents: [{ uri: uri.href, text: "by template" }] }),
  );
  return server;
}
