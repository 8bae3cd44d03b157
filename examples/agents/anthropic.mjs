import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { checkedTool } from "@touchstone/runner/anthropic";

const getWeather = checkedTool(
  {
    name: "get_weather",
    description: "The weather in a city",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
      required: ["city"],
      additionalProperties: false,
    },
    run: async ({ city, days = 1 }) => `sunny in ${city} for ${days} days`,
  },
  { ToolError },
);

/** Ask with `new Anthropic()`. */
export const ask = (client) =>
  client.beta.messages.toolRunner({
    model: "claude-sonnet-5-5",
    max_tokens: 1000,
    messages: [{ role: "user", content: "What is the weather in Oslo?" }],
    tools: [getWeather],
  });
