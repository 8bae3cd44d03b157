export type { Contracted } from "../contract/options.ts";
export type { AnthropicOptions, AnthropicRunContext } from "./guard.ts";
export {
  type AnthropicContent,
  type AnthropicMembers,
  type AnthropicTool,
  type AnthropicToolDefinition,
  checkedTool,
} from "./tool.ts";
export { type AnthropicRunnableTool, withValidation } from "./wrap.ts";
