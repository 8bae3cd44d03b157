import { boundsWithin } from "./bedrock.ts";
import { noConditionsAtTop, objectSchemasForClients } from "./place-rules.ts";
import type { Provider } from "./provider.ts";

/**
 * Anthropic's Messages API, and Claude Code and Claude Desktop in front of it. Its reference says what a name may be
 * (https://platform.claude.com/docs/en/api/messages); the rest are the API's own words: "input_schema does not
 * support oneOf, allOf, or anyOf at the top level", "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
 * "It must match JSON Schema draft 2020-12", "Tool names must be unique". Claude Code cuts descriptions "at 2KB each"
 * (https://code.claude.com/docs/en/mcp). It drops all tools of a server if the schema of a property is a boolean
 * (https://github.com/anthropics/claude-code/issues/92900), which MCP up to 2025-11-25 does not allow (`Tool`,
 * `properties`). It calls a tool `mcp__SERVER__TOOL`, of which the API takes 64 characters when tools are searched
 * for (https://github.com/anthropics/claude-code/issues/19882). It compiles output schemas, and refuses each call of
 * a tool whose output schema names a dialect other than 2020-12
 * (https://github.com/anthropics/claude-code/issues/90549): draft-07, which the first SDK for TypeScript writes by
 * default, in https://github.com/mongodb-js/mongodb-mcp-server/issues/1427 of 2026-08-12, Claude 1.28929.0,
 * https://github.com/kintone/mcp-server/issues/550 of 2026-08-14, Claude Desktop 1.30096.1, and
 * https://github.com/shashankswe2020-ux/whoop-mcp/issues/251 of 2026-09-21, Claude Desktop 2.2553.1. Claude Code 2.1.233
 * takes it (a maintainer in https://github.com/anthropics/claude-code/issues/86142 on 2026-08-17), so that is a warning.
 * It drops a tool without a word if the top of its parameters
 * has a condition (https://github.com/anthropics/claude-code/issues/95504). Whole numbers beyond 2^53 - 1 fail in the API with "int
 * too big to convert" (https://github.com/RevenueCat/ai-toolkit/issues/26).
 */
export const ANTHROPIC: Provider = {
  name: "anthropic",
  title: "Anthropic",
  toolName: /^[A-Za-z0-9_-]{1,128}$/,
  uniqueNames: true,
  propertyName: /^[A-Za-z0-9_.-]{1,64}$/,
  notAtTop: ["oneOf", "allOf", "anyOf"],
  only2020: true,
  compilesOutput: true,
  places: {
    "boolean-schema": objectSchemasForClients,
    "top-level": noConditionsAtTop,
    "number-range": boundsWithin(
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
      "within 2^53 - 1",
    ),
  },
  limits: { description: 2048, prefixedName: 64 },
};
