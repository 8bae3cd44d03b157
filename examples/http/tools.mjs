// A tool, and what runs it.

export const tools = [
  {
    name: "get_weather",
    description: "The weather in a city",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
      required: ["city"],
      additionalProperties: false,
    },
  },
];

export async function handleCall(name, args, request) {
  request.signal.throwIfAborted();
  const text = `${name}: sunny in ${args.city} for ${args.days ?? 1} days`;
  return { content: [{ type: "text", text }] };
}
