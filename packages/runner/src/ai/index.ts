export type { Contracted } from "../contract/options.ts";
export { type AiOptions, type AiSdk, type AiValidation, checkedSchema } from "./schema.ts";
export { type AiTool, type AiToolsOptions, withValidation } from "./tools.ts";
