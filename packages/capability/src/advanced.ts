/** Everything that the packages of Touchstone use. It may change with any version: `@touchstone/capability` is what stays. */
export {
  CAPABILITY_VERSION,
  hasCapability,
  type InvalidationCause,
  type Level,
  type ToolValidationCapability,
  type ValidationCaching,
} from "./announcement.ts";
export type { ValidateResult } from "./answer.ts";
export type { NativeStatus } from "./client/read-answer.ts";
export type { ToolValidation } from "./client/result.ts";
export type { ValidationClient } from "./client/sdk-client.ts";
export type { TestRun } from "./client/test-run.ts";
export {
  type ToolCallToValidate,
  ToolValidator,
  type ToolValidatorOptions,
  type ValidateOptions,
} from "./client/tool-validator.ts";
export {
  type DeclarationOptions,
  type ValidateTool,
  validateToolDeclaration,
} from "./declaration.ts";
export { CapabilityError, type CapabilityErrorCode } from "./errors.ts";
export {
  capabilityEdit,
  gatewayCapability,
  validateToolEdit,
} from "./gateway/announce.ts";
export {
  type AnswerOptions,
  answerValidate,
  type DecideCall,
  type DecidedCall,
} from "./gateway/answer-validate.ts";
export type { ArgumentLimits } from "./schema-level.ts";
export type {
  CheckContext,
  CheckFindings,
  Finding,
  LevelChecks,
  ToolCheck,
} from "./server/checks.ts";
export type {
  ValidationFault,
  ValidationFaultCode,
  ValidationFaultListener,
} from "./server/fault.ts";
export { chooseName as chooseMethod } from "./server/method-name.ts";
export type { ToolValidationOptions } from "./server/options.ts";
export { withToolValidation } from "./server/with-tool-validation.ts";
export type {
  CallDecision,
  LevelIssue,
  LevelNotRun,
  NotRunReason,
  ToolVerdict,
} from "./validation-result.ts";
