export type { DriftFinding, DriftReport, Drifts } from "../../features/drift/schemas.ts";
export { type CallLimits, limitTexts } from "../../features/limits.ts";
export { controls } from "../../features/section-settings.ts";
export type {
  Call,
  CallDetail,
  CallValues,
  DefinitionChange,
  DirectionRollout,
  MeantChange,
  Overview,
  OverviewBucket,
  RepairReport,
  Rollout,
  RolloutOffence,
  Session,
  ShownPin,
  ToolRollout,
} from "../../records/api/schemas.ts";
export type { ActivityRecord } from "../../records/record.ts";
export type {
  BodyOf,
  OperationId,
  OperationIdBy,
  Operations,
  ParametersOf,
  ResponseOf,
} from "./operations.ts";
export { OPERATIONS } from "./operations.ts";
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
