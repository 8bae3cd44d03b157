export { batchItems } from "./batch.ts";
export {
  errorFrame,
  notificationFrame,
  requestFrame,
  resultFrame,
  type ToolErrorOptions,
  toolErrorFrame,
} from "./build.ts";
export { ERROR_CODES, type ErrorCode } from "./codes.ts";
export { type CutMessage, isAttempt, type LegibleId, legibleId, readCut } from "./cut.ts";
export type { Frame, FrameKind, FrameOptions, FrameRanges } from "./frame.ts";
export { idKey } from "./id.ts";
export {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  META_SUBSCRIPTION_ID,
} from "./plan.ts";
export { readFrame } from "./read.ts";
export type { Revision } from "./revisions/revision.ts";
export { LATEST, LATEST_LEGACY, REVISIONS, revisionOf } from "./revisions/revisions.ts";
export { type Edit, singleLine, spliceFrame } from "./splice.ts";
