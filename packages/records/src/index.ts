export type { ActivityOperation, ActivityQuestion } from "./api/api.ts";
export type { EventOptions } from "./api/events.ts";
export {
  type ApprovalChange,
  type ApprovalResult,
  type ApprovalStores,
  decideApproval,
  declarationLabel,
  listPins,
  pinDiff,
  unchangedPinsText,
  unknownDeclarationText,
} from "./approvals.ts";
export type { BodySettings } from "./build.ts";
export { parseSearch } from "./calls.ts";
export { CHAIN_START, type ChainCheck, verifyChain } from "./chain.ts";
export type {
  Pin,
  PinItem,
  PinKind,
  PinnedText,
  PinSet,
  PinState,
  PinStore,
} from "./contracts/pin-store.ts";
export { definitionChange } from "./definition-change.ts";
export type { Shape } from "./drift/shape.ts";
export type { DriftEntry, DriftKey, DriftStore, StoredDrift } from "./drift/store.ts";
export type { ActivityEraser, ErasureRequest } from "./erase/eraser.ts";
export { type ErasureSubject, namesSubject } from "./erase/subject.ts";
export { ActivityError, type ActivityErrorCode } from "./errors.ts";
export {
  EXPORT_FORMATS,
  type ExportFormat,
  exportActivity,
  exportFormat,
} from "./export/export.ts";
export {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  type ActivityFilter,
  type ActivityFilterName,
  type ActivityScope,
  DECISIONS,
  DEFAULT_LIMIT,
  DIRECTIONS,
  type FilterInput,
  MAX_LIMIT,
  parseActivityFilter,
  parseActivityScope,
} from "./filter.ts";
export { followActivity } from "./follow.ts";
export {
  DATABASE_FILE,
  type OpenActivityStoreOptions,
  openActivityReader,
  openActivityStore,
} from "./open-sqlite.ts";
export { type OpenPlace, openPlace } from "./place.ts";
export { type ProblemFilter, parseProblemFilter } from "./problems/filter.ts";
export type { Problem, ProblemPage } from "./problems/response-schemas.ts";
export {
  ACTIVITY_SOURCES,
  ACTIVITY_STATUSES,
  ACTIVITY_TYPES,
  type ActivityEntry,
  type ActivityLog,
  type ActivityRecord,
  type ActivitySource,
  type ActivityStatus,
  type ActivityType,
} from "./record.ts";
export type {
  ActivityPage,
  ActivitySummary,
  DefinitionChange,
  DirectionRollout,
  Erasure,
  MeantChange,
  RepairCount,
  RepairReport,
  Rollout,
  RolloutOffence,
  RuleCount,
  ShownPin,
  SuggestedRules,
  SuggestedTool,
  Suggestion,
  ToolRollout,
  ToolSummary,
} from "./response-schemas.ts";
export type { RolloutSettings } from "./rollout/settings.ts";
export { isInScope } from "./scope.ts";
export type {
  ActivityChain,
  ActivityPruner,
  ActivityReader,
  ActivityStore,
  ActivityTail,
  ActivityUsage,
  ChainLink,
  Retention,
  StoreCheck,
  StorePlace,
  TableCheck,
} from "./store.ts";
export { suggestRules } from "./suggest.ts";
export {
  type CheckpointChain,
  type CheckpointStatement,
  openCheckpoint,
  type SignedCheckpoint,
} from "./verify/checkpoint.ts";
export type { ChainFault, ChainFaultKind } from "./verify/fault.ts";
export { type VerifiedCheckpoint, verifiedCheckpoint } from "./verify/verified-checkpoint.ts";
export { type VerifyOptions, type VerifyReport, verifyActivity } from "./verify/verify.ts";
export type { ActivityWorker } from "./worker/client.ts";
