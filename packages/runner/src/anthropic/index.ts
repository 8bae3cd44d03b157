export type { AnthropicOptions, AnthropicRunContext, Contracted } from "./guard.ts";
export {
  type AnthropicContent,
  type AnthropicMembers,
  type AnthropicTool,
  type AnthropicToolDefinition,
  checkedTool,
} from "./tool.ts";
export { type AnthropicRunnableTool, withValidation } from "./wrap.ts";
