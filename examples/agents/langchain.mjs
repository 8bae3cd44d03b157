import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { withValidation } from "@touchstone/runner/langchain";

export const getWeather = withValidation(
  tool(async ({ city, days = 1 }) => `sunny in ${city} for ${days} days`, {
    name: "get_weather",
    description: "The weather in a city",
    schema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
      required: ["city"],
      additionalProperties: false,
    },
  }),
  { ToolMessage },
);
