import type { Tool, ToolCallHandler, ToolCallOutcome } from "@touchstone/http";

/** An image of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const ADDRESS = {
  type: "object",
  title: "Address",
  properties: { street: { type: "string", minLength: 3 }, zip: { type: "integer" } },
  required: ["street"],
  additionalProperties: false,
};

/** Tools that together need every kind of field that a form can show. */
export const TOOLS: readonly Tool[] = [
  {
    name: "get_weather",
    title: "Weather",
    description: "Tells the weather of a city",
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, description: "The name of a city" },
        units: { enum: ["metric", "imperial"], default: "metric" },
        station: { type: "integer", default: 1 },
        detailed: { type: "boolean" },
      },
      required: ["city", "units"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { temperature: { type: "number" } },
      required: ["temperature"],
    },
  },
  {
    name: "send_parcel",
    description: "Sends a parcel",
    annotations: { destructiveHint: true },
    inputSchema: {
      type: "object",
      $defs: { address: ADDRESS },
      properties: {
        to: { $ref: "#/$defs/address" },
        numbers: { type: "array", items: { type: "integer" } },
        payment: {
          title: "Payment",
          oneOf: [
            {
              title: "Card",
              type: "object",
              properties: { card: { type: "string" } },
              required: ["card"],
            },
            {
              title: "Cash",
              type: "object",
              properties: { cents: { type: "integer" } },
              required: ["cents"],
            },
          ],
        },
        extra: { type: "object", additionalProperties: { type: "string" } },
        anything: true,
      },
      required: ["to"],
    },
  },
  { name: "picture", description: "Gives a picture", inputSchema: { type: "object" } },
  { name: "fails", description: "Reports an error", inputSchema: { type: "object" } },
  {
    name: "tree",
    description: "Takes a tree",
    inputSchema: {
      type: "object",
      $defs: {
        node: {
          type: "object",
          properties: { weight: { type: "integer" }, child: { $ref: "#/$defs/node" } },
        },
      },
      properties: { root: { $ref: "#/$defs/node" } },
    },
  },
  { name: "broken", description: "Has no good schema", inputSchema: { type: "nonsense" } },
  {
    name: "remote",
    description: "",
    inputSchema: { type: "object", properties: { a: { $ref: "https://example.com/a" } } },
  },
];

/** What a gateway returns instead of a result that violates its schema. */
const BLOCKED = "output schema validation failed: /temperature must be number, got string";

/** Returns its arguments, with a temperature that is a string if the city is Breakage. */
export const runTool: ToolCallHandler = (name, args): ToolCallOutcome => {
  if (name === "picture") return { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };
  if (name === "fails") return { content: [{ type: "text", text: "no" }], isError: true };
  const city: unknown = Reflect.get(Object(args), "city");
  if (city === "Blockage") return { content: [{ type: "text", text: BLOCKED }], isError: true };
  return {
    content: [{ type: "text", text: `called ${name} with ${JSON.stringify(args)}` }],
    structuredContent: { temperature: city === "Breakage" ? "warm" : 21.5 },
    traceId: "trace-1",
  };
};
