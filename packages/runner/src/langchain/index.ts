export { type LangChainOptions, type LangChainTool, withValidation } from "./tool.ts";
