export { SchemaValidator, type ValidatorLogger, type ValidatorResult } from "@touchstone/core";
export { askingItems, batchItems, mayAsk } from "./batch.ts";
export { OpenBrackets } from "./brackets.ts";
export { type BrokenBatch, readBrokenBatch } from "./broken-batch.ts";
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
  type Breaches,
  ConversationRules,
  type Said,
} from "./conversation/conversation.ts";
export { type CutMessage, isAttempt, type LegibleId, legibleId, readCut } from "./cut.ts";
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
  paramHeaderValues,
} from "./headers/param-values.ts";
export {
  type HeaderFault,
  type HeaderLookup,
  headerFault,
  NAMED_BY,
  namingFault,
  requestHeaders,
} from "./headers/request-headers.ts";
export { idKey } from "./id.ts";
export { isList } from "./judge/items.ts";
export { type JudgeOptions, judgeMessage, judgeMessageSteps } from "./judge/judge-message.ts";
export type { ItemFaults, MessageCheck } from "./judge/message-check.ts";
export { nearMethod } from "./judge/near-names.ts";
export { isMethodDefined } from "./judge/parts.ts";
export {
  callTwin,
  findCallTwins,
  listTwinSteps,
  routingTwin,
  routingTwinSteps,
  twinText,
} from "./judge/routing-twin.ts";
export { judgeToolResult } from "./judge/tool-result.ts";
export { PROVIDERS, type ProviderName } from "./lint/providers/provider.ts";
export { ERRATA, type Erratum } from "./messages/errata.ts";
export type { Sender } from "./messages/message-table.ts";
export { OutlineReader } from "./outline.ts";
export {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
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
export { type Edit, memberRange, singleLine, spliceFrame } from "./splice.ts";
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
