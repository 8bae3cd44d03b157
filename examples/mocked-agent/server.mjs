#!/usr/bin/env node
// The server that `session.jsonl` was recorded from: forecasts of two cities.
import { serveTools } from "../faulty-server/mcp.mjs";

const FORECASTS = new Map([
  ["Oslo", { city: "Oslo", day: "2026-01-02", sky: "rain", degrees: 4.5 }],
  ["Rome", { city: "Rome", day: "2026-01-02", sky: "clear", degrees: 14 }],
]);

const TOOLS = [
  {
    name: "forecast",
    title: "Forecast",
    description: "Returns the weather of tomorrow in a city.",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        city: { type: "string" },
        day: { type: "string", format: "date" },
        sky: { enum: ["clear", "clouds", "rain", "snow"] },
        degrees: { type: "number" },
      },
      required: ["city", "day", "sky", "degrees"],
      additionalProperties: false,
    },
    call({ city }) {
      const forecast = FORECASTS.get(city);
      if (forecast === undefined) return { text: `No forecast of ${city}`, isError: true };
      const structured = JSON.stringify(forecast);
      return { text: structured, structured };
    },
  },
];

serveTools({ info: { name: "weather", title: "Weather", version: "1.0.0" }, tools: TOOLS });
