import { checkedSchema } from "@touchstone/runner/ai";
import { generateText, isStepCount, jsonSchema, TypeValidationError, tool } from "ai";

const get_weather = tool({
  description: "The weather in a city",
  inputSchema: checkedSchema(
    { jsonSchema, TypeValidationError },
    {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
      required: ["city"],
      additionalProperties: false,
    },
    { name: "get_weather" },
  ),
  execute: async ({ city, days = 1 }) => `sunny in ${city} for ${days} days`,
});

export const ask = (model) =>
  generateText({
    model,
    tools: { get_weather },
    stopWhen: isStepCount(5),
    prompt: "What is the weather in Oslo?",
  });
