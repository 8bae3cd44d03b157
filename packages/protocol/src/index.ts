export {
  SchemaValidator,
  type ValidatorLogger,
  type ValidatorResult,
} from "@touchstone/core/advanced";
export { judgeMessage } from "./judge/judge-message.ts";
export { readFrame } from "./read.ts";
export {
  JSONRPC_VERSION,
  MessageValidator,
  type MessageValidatorOptions,
  validateMessage,
} from "./validators/message.ts";
export {
  SpecificationValidator,
  type SpecificationValidatorOptions,
} from "./validators/specification.ts";
export {
  ToolCallValidator,
  type ToolCallValidatorOptions,
  type ToolSchemas,
  validateToolCall,
} from "./validators/tool-call.ts";
