export { type Checked, type CheckedOptions, checked } from "./checked.ts";
export {
  InvalidSchemaError,
  type Side,
  ToolInputError,
  ToolOutputError,
} from "./contract/errors.ts";
export type { ContractOptions, ContractSide, ToolContract } from "./contract/options.ts";
export type { PatchOperation, RepairKind, RepairReceipt } from "./repair/receipt.ts";
export { type ToolSchema, type ToolSchemaOptions, toolSchema } from "./tool-schema.ts";
