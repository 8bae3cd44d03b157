export type { PatchOperation, RepairKind } from "@touchstone/core/advanced";
export { type Checked, type CheckedOptions, checked } from "./checked.ts";
export {
  InvalidSchemaError,
  ToolInputError,
  ToolOutputError,
} from "./contract/errors.ts";
export type {
  ContractOptions,
  ContractSide,
  RepairReceipt,
  ToolContract,
} from "./contract/options.ts";
export { type ToolSchema, type ToolSchemaOptions, toolSchema } from "./tool-schema.ts";
