import { checked, ToolInputError } from "@touchstone/runner";

const getWeather = checked(
  async function get_weather({ city, days = 1 }) {
    return `sunny in ${city} for ${days} days`;
  },
  {
    input: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
      required: ["city"],
      additionalProperties: false,
    },
    output: { type: "string" },
  },
);

export async function answer(args) {
  try {
    return await getWeather(args);
  } catch (error) {
    if (error instanceof ToolInputError) return error.message; // for the model
    throw error;
  }
}
