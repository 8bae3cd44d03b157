export {
  type Catalogue,
  createLogger,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  type LogSettings,
  TouchstoneError,
  visible,
} from "@touchstone/util";
export * from "./activity.ts";
export * from "./configuration.ts";
export * from "./fleet/index.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { CaptureError } from "./insight/capture/errors.ts";
export type { ReplayDecision, ReplayEvent } from "./insight/capture/replay-event.ts";
export { type MissingPackages, missingTelemetryPackages } from "./insight/telemetry/packages.ts";
export type { ConfigSource } from "./server/admin/config-editor.ts";
export { ERROR_CATALOGUES, type ErrorCatalogue } from "./server/error-catalogues.ts";
export { ListenError } from "./server/listener.ts";
export { type ReplaySettings, replayCapture } from "./server/replay.ts";
export { gatewayOpenapi } from "./server/routes.ts";
export {
  DEFAULT_SETTINGS,
  type Decision,
  type Direction,
  type Mode,
  type OutputCheckSettings,
  type ProtocolCheckSettings,
  type RuleTreatment,
  type SchemaCheckSettings,
  type ValidationSettings,
} from "./settings/validation.ts";
export { defaultServerName, EXIT_COULD_NOT_START, type WrapOptions, wrap } from "./wrap.ts";
