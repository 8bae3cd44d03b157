import { objectSchemasForClients } from "./place-rules.ts";
import type { Provider } from "./provider.ts";

/**
 * Anthropic's Messages API, and Claude Code and Claude Desktop before it. What a name may be is in its
 * reference (https://platform.claude.com/docs/en/api/messages); the rest are the API's own words:
 * "input_schema does not support oneOf, allOf, or anyOf at the top level", "Property keys should match
 * pattern '^[a-zA-Z0-9_.-]{1,64}$'", "It must match JSON Schema draft 2020-12", "Tool names must be
 * unique". Claude Code cuts descriptions "at 2KB each" (https://code.claude.com/docs/en/mcp), and drops all
 * tools of a server for a property whose schema is a boolean
 * (https://github.com/anthropics/claude-code/issues/92900), which MCP has no room for up to 2025-11-25
 * (`Tool`, `properties`).
 */
export const ANTHROPIC: Provider = {
  name: "anthropic",
  title: "Anthropic",
  toolName: /^[A-Za-z0-9_-]{1,128}$/,
  uniqueNames: true,
  propertyName: /^[A-Za-z0-9_.-]{1,64}$/,
  notAtTop: ["oneOf", "allOf", "anyOf"],
  only2020: true,
  places: { "boolean-schema": objectSchemasForClients },
  limits: { description: 2048 },
};
