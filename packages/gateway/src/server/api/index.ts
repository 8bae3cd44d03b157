export {
  formatQuery,
  MAX_QUERY,
  parseQuery,
  type QueryKey,
  type QueryTerm,
} from "@touchstone/records/query";
export type { ActivityRecord } from "@touchstone/records/record";
export type {
  Call,
  CallDetail,
  CallerRow,
  CallValues,
  DefinitionChange,
  DirectionRollout,
  MeantChange,
  Overview,
  OverviewBucket,
  PinWithDiff,
  Problem,
  ProblemPage,
  RepairReport,
  Rollout,
  RolloutOffence,
  Session,
  ShownPin,
  ToolRollout,
} from "@touchstone/records/schemas";
export { groupChanges } from "@touchstone/records/schemas";
export { MAX_VIEW_NAME } from "@touchstone/records/views";
export type { DriftFinding, DriftList, DriftReport } from "../../features/drift/schemas.ts";
export { toolSettingTexts } from "../../features/level-settings.ts";
export { type CallLimits, limitTexts } from "../../features/limits.ts";
export { PRESET_NAMES, PRESET_SUMMARIES } from "../../features/preset/preset.ts";
export { settingControls } from "../../features/section-settings.ts";
export { stillBlockingText } from "../../policy/still-blocking.ts";
export type {
  BodyOf,
  OperationId,
  OperationIdBy,
  Operations,
  ParametersOf,
  ResponseOf,
} from "./operations.ts";
export { OPERATIONS } from "./operations.ts";
export type { Attention, Delivery, ShownAlert, ShownServerLog } from "./operator-schemas.ts";
export type {
  ClientView,
  ConfigAction,
  ContractFault,
  Gateways,
  ServerDetail,
  ServerEdit,
  ServerSummary,
  ShownCaller,
  ShownContract,
  ShownPolicy,
  ShownSettings,
  UnlistedTool,
} from "./schemas.ts";
export { COMPONENTS } from "./schemas.ts";
export type { SavedView } from "./view-schemas.ts";
