export { hasCapability } from "./announcement.ts";
export type { ToolValidation } from "./client/result.ts";
export type { ValidationClient } from "./client/sdk-client.ts";
export {
  type ToolCallToValidate,
  ToolValidator,
  type ToolValidatorOptions,
  type ValidateOptions,
} from "./client/tool-validator.ts";
export { CapabilityError, type CapabilityErrorCode } from "./errors.ts";
export type { CheckContext, CheckFindings, Finding, LevelChecks } from "./server/checks.ts";
export type { ToolValidationOptions } from "./server/options.ts";
export { withToolValidation } from "./server/with-tool-validation.ts";
