export { type AiOptions, type AiSdk, type AiValidation, checkedSchema } from "./schema.ts";
export { type AiTool, type AiToolsOptions, type Contracted, withValidation } from "./tools.ts";
