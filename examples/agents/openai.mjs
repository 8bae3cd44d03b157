import { Agent, run, tool } from "@openai/agents";
import { checkedTool } from "@touchstone/runner/openai";

const getWeather = checkedTool(tool, {
  name: "get_weather",
  description: "The weather in a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
    required: ["city"],
    additionalProperties: false,
  },
  execute: async ({ city, days = 1 }) => `sunny in ${city} for ${days} days`,
});

export const ask = (model) =>
  run(new Agent({ name: "Weather", model, tools: [getWeather] }), "What is the weather in Oslo?");
