export * from "@touchstone/records";
export { findDrift, type ResultDrift } from "./features/drift/drift.ts";
export { proposeSchema, type SchemaProposal } from "./features/drift/propose.ts";
export { DRIFT_DELAY_NOTE, driftReport } from "./features/drift/report.ts";
export type { DriftFinding, DriftReport, Unsure } from "./features/drift/schemas.ts";
export { type ActivityApiOptions, activityApi } from "./insight/reading/api.ts";
export { type ActivityWorkerOptions, startActivityWorker } from "./insight/reading/worker.ts";
export {
  type PolicyOffence,
  type PolicyRollout,
  type PolicySource,
  policyRollout,
} from "./insight/rollout/policy-rollout.ts";
export type { SettingsByLevel } from "./policy/exemptions.ts";
export { rolloutSettings } from "./policy/rollout-settings.ts";
export { unappliedSettings } from "./policy/unapplied-settings.ts";
