export * from "./activity/index.ts";
export type { ConfigSource } from "./admin/config-editor.ts";
export { gatewayOpenapi } from "./admin/openapi/document.ts";
export * from "./capture/index.ts";
export * from "./config/index.ts";
export * from "./fleet/index.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export {
  createLogger,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  type LogSettings,
  visible,
} from "./log.ts";
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
} from "./policy/settings.ts";
export { ListenError } from "./transport/http/listener.ts";
export { COULD_NOT_START, defaultServerName, type WrapOptions, wrap } from "./wrap.ts";
