export type {
  Pin,
  PinItem,
  PinKind,
  PinnedText,
  PinSet,
  PinState,
  PinStore,
} from "../contracts/pin-store.ts";
export { type Drift, driftOf } from "../drift/drift.ts";
export type { DriftFinding, Unsure } from "../drift/finding.ts";
export { type Proposal, proposeSchema } from "../drift/propose.ts";
export { type DriftReport, driftReport, KNOWN_DRIFT } from "../drift/report.ts";
export type { Shape } from "../drift/shape.ts";
export type { DriftEntry, DriftKey, DriftStore, KeptDrift } from "../drift/store.ts";
export {
  type Excuse,
  type Excuses,
  excusesOf,
  type SettingsByPlace,
} from "../policy/excuses.ts";
export {
  type ActivityApiOptions,
  type ActivityOperation,
  type ActivityQuestion,
  activityApi,
} from "./api/api.ts";
export type { EventOptions } from "./api/events.ts";
export {
  type Approvals,
  type Decided,
  type Decision,
  decide,
  labelOf,
  pinDiff,
  type ShownPin,
  shownPins,
} from "./approvals.ts";
export type { BodySettings } from "./build.ts";
export { CHAIN_START, type ChainVerdict, verifyChain } from "./chain.ts";
export type { MeantChange } from "./change-meaning.ts";
export { type DefinitionChange, definitionChange } from "./definition-change.ts";
export type {
  ActivityEraser,
  Erasure,
  ErasureRequest,
} from "./erase/eraser.ts";
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
export type { RepairCount, RepairReport } from "./repairs.ts";
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
  ActivityPage,
  ActivityPruner,
  ActivityReader,
  ActivityStore,
  ActivitySummary,
  ActivityTail,
  ActivityUsage,
  ChainLink,
  Retention,
  Rollout,
  RolloutOffence,
  RuleCount,
  ToolSummary,
} from "./store.ts";
export {
  type SuggestedRules,
  type SuggestedTool,
  type Suggestion,
  suggestRules,
} from "./suggest.ts";
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
