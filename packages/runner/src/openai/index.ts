export type { Contracted } from "../contract/options.ts";
export { type ToolSchema, type ToolSchemaOptions, toolSchema } from "../tool-schema.ts";
export {
  type GuardrailDecision,
  type GuardrailOptions,
  type InputGuardrail,
  inputGuardrail,
  type OutputGuardrail,
  outputGuardrail,
} from "./guardrails.ts";
export { checkedTool, type OpenAiToolOptions } from "./tool.ts";
export { type OpenAiFunctionTool, withValidation } from "./wrap.ts";
