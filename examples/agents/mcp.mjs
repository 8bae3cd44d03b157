import { Server } from "@modelcontextprotocol/server";
import { checkedClient, checkedTools } from "@touchstone/runner/mcp";

const tools = checkedTools([
  {
    name: "get_weather",
    description: "The weather in a city",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
      required: ["city"],
      additionalProperties: false,
    },
    handler: async ({ city, days = 1 }) => ({
      content: [{ type: "text", text: `sunny in ${city} for ${days} days` }],
    }),
  },
]);

export const server = new Server(
  { name: "weather", version: "1.0.0" },
  { capabilities: { tools: {} } },
);
server.setRequestHandler("tools/list", tools.list);
server.setRequestHandler("tools/call", ({ params }, context) => tools.call(params, context));

/** A client that sends nothing that breaks what the server declares. */
export const careful = async (client) => checkedClient(client, (await client.listTools()).tools);
