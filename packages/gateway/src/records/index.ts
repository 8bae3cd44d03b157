export type {
  Pin,
  PinItem,
  PinKind,
  PinnedText,
  PinSet,
  PinState,
  PinStore,
} from "../contracts/pin-store.ts";
export { type Drift, driftOf } from "../features/drift/drift.ts";
export { type Proposal, proposeSchema } from "../features/drift/propose.ts";
export { driftReport, KNOWN_DRIFT } from "../features/drift/report.ts";
export type { DriftFinding, DriftReport, Unsure } from "../features/drift/schemas.ts";
export type { Shape } from "../features/drift/shape.ts";
export type { DriftEntry, DriftKey, DriftStore, KeptDrift } from "../features/drift/store.ts";
export type { SettingsByPlace } from "../policy/excuses.ts";
export { type RolloutSettings, rolloutSettings } from "../policy/rollout-settings.ts";
export { unappliedSettings } from "../policy/unapplied-settings.ts";
export {
  type ActivityApiOptions,
  type ActivityOperation,
  type ActivityQuestion,
  activityApi,
} from "./api/api.ts";
export type { EventOptions } from "./api/events.ts";
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
} from "./api/schemas.ts";
export {
  type Approvals,
  type Decided,
  type Decision,
  decide,
  labelOf,
  leftAloneText,
  pinDiff,
  shownPins,
} from "./approvals.ts";
export type { BodySettings } from "./build.ts";
export { CHAIN_START, type ChainVerdict, verifyChain } from "./chain.ts";
export { definitionChange } from "./definition-change.ts";
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
export { type OpenPlace, openPlace } from "./place.ts";
export {
  type PolicyOffence,
  type PolicyRollout,
  type PolicySource,
  policyRollout,
} from "./policy-rollout.ts";
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
export { meetsScope } from "./scope.ts";
export type { StoreCheck, TableCheck } from "./sql/store-check.ts";
export {
  DATABASE_FILE,
  type OpenActivityStoreOptions,
  openActivityReader,
  openActivityStore,
} from "./sqlite/open.ts";
export type {
  ActivityChain,
  ActivityPruner,
  ActivityReader,
  ActivityStore,
  ActivityTail,
  ActivityUsage,
  ChainLink,
  Retention,
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
export {
  type ActivityWorker,
  type ActivityWorkerOptions,
  startActivityWorker,
} from "./worker/client.ts";
export type { StorePlace } from "./worker/messages.ts";
