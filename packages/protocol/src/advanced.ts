/** Everything that the packages of Touchstone use. It may change with any version: `@touchstone/protocol` is what stays. */
export {
  SchemaValidator,
  type ValidatorLogger,
  type ValidatorResult,
} from "@touchstone/core/advanced";
export { batchItems, mayBeRequestItem, requestItems } from "./batch.ts";
export { OpenBrackets, skipBlankSteps } from "./brackets.ts";
export { type BrokenBatch, brokenBatchSteps, readBrokenBatch } from "./broken-batch.ts";
export {
  errorFrame,
  notificationFrame,
  requestFrame,
  resultFrame,
  type ToolErrorOptions,
  toolErrorFrame,
} from "./build.ts";
export { ERROR_CODES, type ErrorCode } from "./codes.ts";
export {
  ConversationRules,
  type MessageContext,
  type RuleViolations,
} from "./conversation/conversation.ts";
export { type InputParts, missingInputCapability } from "./conversation/rules/capabilities.ts";
export {
  type CutMessage,
  looksLikeMessage,
  type ReadableId,
  readableId,
  readableIdSteps,
  readCutMessage,
} from "./cut-message.ts";
export {
  type DetectedRevision,
  type DetectOptions,
  detectRevision,
} from "./era/detect-revision.ts";
export { announcesTasks } from "./extensions.ts";
export type {
  Frame,
  FrameKind,
  FrameOptions,
  FrameRanges,
  FrameScan,
  KeyLimits,
} from "./frame.ts";
export { decodeHeaderValue, encodeHeaderValue } from "./headers/header-value.ts";
export { type ParamHeader, type ParamHeaders, paramHeadersOf } from "./headers/param-headers.ts";
export {
  changedParamHeaders,
  paramHeaderFault,
} from "./headers/param-values.ts";
export {
  type HeaderFault,
  type HeaderLookup,
  headerFault,
  nameHeaderFault,
  requestHeaders,
} from "./headers/request-headers.ts";
export { idKey } from "./id.ts";
export { isListResult } from "./judge/items.ts";
export { type JudgeOptions, judgeMessage, judgeMessageSteps } from "./judge/judge-message.ts";
export type { ItemFaults, MessageCheck } from "./judge/message-check.ts";
export { isMethodDefined } from "./judge/message-parts.ts";
export {
  callTwin,
  findCallTwins,
  listTwinSteps,
  routingTwin,
  routingTwinSteps,
  twinText,
} from "./judge/routing-twin.ts";
export { nearMethod } from "./judge/similar-names.ts";
export { judgeToolResult } from "./judge/tool-result.ts";
export type { Sender } from "./messages/message-table.ts";
export { valueEndSteps } from "./nesting.ts";
export { OutlineReader } from "./outline.ts";
export {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
} from "./plan.ts";
export { frameOfScan, readFrame, readFrameSteps } from "./read.ts";
export {
  describeRefusedRevision,
  refusedRevision,
  refusedRevisionBy,
} from "./revisions/refused-revision.ts";
export type { Revision } from "./revisions/revision.ts";
export { LATEST, LATEST_LEGACY, REVISIONS, revisionOf } from "./revisions/revisions.ts";
export { type Edit, memberRange, memberRemovals, singleLine, spliceFrame } from "./splice.ts";
export { PROVIDERS, type ProviderName } from "./tool-checks/lint/providers/provider.ts";
export { findToolList, type ToolListPlace, toolTexts } from "./tool-checks/tool-list.ts";
export type { MessageType } from "./validators/kind.ts";
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
