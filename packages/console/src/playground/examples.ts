/// <reference types="vite/client" />
import FILESYSTEM from "./examples/server-filesystem.json?raw";
import type { PlaygroundState } from "./question.ts";

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const forecast = (unit: object, more: object = {}): object => ({
  name: "get_forecast",
  description: "Returns the weather forecast of a city.",
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string", minLength: 1, description: "The name of the city" },
      days: { type: "integer", minimum: 1, maximum: 14, description: "How many days" },
      unit,
      ...more,
    },
    required: ["city"],
    additionalProperties: false,
  },
});
const UNIT = { enum: ["metric", "imperial"], default: "metric" };

const WEATHER = json({ tools: [forecast(UNIT)] });
const WEATHER_NEXT = json({
  tools: [
    forecast(
      { enum: ["celsius", "fahrenheit"], default: "celsius" },
      { hourly: { type: "boolean", description: "Whether hours are listed" } },
    ),
  ],
});
const WRONG_CALL = json({ citi: "Oslo", days: "3", unit: "Metric" });

/** Returns a list in which a tool requires another argument. */
function requiring(list: string, index: number, argument: string): string {
  const { tools } = JSON.parse(list);
  tools[index].inputSchema.required.push(argument);
  return json({ tools });
}

const notes = (most: number, more: readonly object[]): string =>
  json({
    tools: [
      {
        name: "search_notes",
        description: most === 100 ? "Finds notes by a word." : "Finds notes by a word or a phrase.",
        inputSchema: {
          type: "object",
          properties: {
            word: { type: "string", minLength: 1 },
            limit: { type: "integer", minimum: 1, maximum: most },
          },
          required: ["word"],
        },
        annotations: { readOnlyHint: true },
      },
      ...more,
    ],
  });
const DELETE = {
  name: "delete_note",
  description: "Deletes a note.",
  inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
};

/** An example to start with. */
export interface Example {
  readonly name: string;
  readonly state: Partial<PlaygroundState> & Pick<PlaygroundState, "tools" | "args" | "next">;
}

/** What is shown if the address contains nothing. */
export const START: PlaygroundState = {
  view: "call",
  tools: WEATHER,
  tool: 0,
  args: WRONG_CALL,
  client: "cursor",
  next: WEATHER_NEXT,
};

/** The examples that can be chosen. */
export const EXAMPLES: readonly Example[] = [
  { name: "A wrong call of a small tool", state: START },
  {
    name: "Published: server-filesystem 2026.8.31",
    state: {
      tools: FILESYSTEM,
      tool: 1,
      args: json({ path: "/notes.md", head: "10" }),
      next: requiring(FILESYSTEM, 1, "head"),
    },
  },
  {
    name: "A change that breaks calls",
    state: {
      view: "compare",
      tools: notes(100, [DELETE]),
      tool: 0,
      args: json({ word: "todo", limit: 50 }),
      next: notes(25, []),
    },
  },
  {
    name: "A JSON Schema",
    state: {
      view: "call",
      tools: json({
        type: "object",
        properties: { email: { type: "string", format: "email" }, age: { type: "integer" } },
        required: ["email"],
      }),
      tool: 0,
      args: json({ email: "ada at example.com", age: 36.5 }),
      next: json({
        type: "object",
        properties: { email: { type: "string" }, age: { type: "integer", minimum: 18 } },
        required: ["email"],
      }),
    },
  },
];
