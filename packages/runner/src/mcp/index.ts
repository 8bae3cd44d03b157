export { type McpSchemaValidator, mcpSchemaValidator } from "@touchstone/core/advanced";
export { type ToolSchema, type ToolSchemaOptions, toolSchema } from "../tool-schema.ts";
export { type CheckedClient, checkedClient, type McpTool } from "./client.ts";
export type { McpCall, McpRefusal } from "./result.ts";
export {
  type CheckedTools,
  checkedTools,
  type ListedTool,
  type McpToolDefinition,
} from "./server.ts";
