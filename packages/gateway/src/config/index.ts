export {
  isLoopback,
  isOnPath,
  ProcessTree,
  parseUrl,
  REDACTED,
  redactText,
  tildeHint,
  tlsErrorText,
  withoutKnownSecrets,
} from "@touchstone/util";
export type { AlertRule } from "../features/alerts/alerts.ts";
export { blocksUnusable, isExternal } from "../features/invalid-schemas/decide.ts";
export { PRESET_NAMES, type PresetName } from "../features/preset/preset.ts";
export {
  decideTool,
  refusesTools,
  type UnmatchedPattern,
  unmatchedPatterns,
} from "../features/tool-lists/decide.ts";
export { decideUnknownCall } from "../features/unknown-schemas/decide.ts";
export { KEPT_BY_DEFAULT } from "../settings/activity.ts";
export { PRESETS, presetValues } from "../settings/presets.ts";
export type { ConfigFile } from "../settings/schema.ts";
export { parseListenAddress } from "./address.ts";
export { hashOfKey, KEY_HASH_PREFIX } from "./callers.ts";
export { changedKeys } from "./changed-keys.ts";
export {
  type ClientServers,
  loadServers,
  parseServers,
  type ServersSource,
} from "./client-servers.ts";
export { didYouMean } from "./closest.ts";
export type {
  GatewayConfig,
  HttpUpstream,
  ServerConfig,
  SkippedServer,
  StdioUpstream,
  WrappedUpstream,
} from "./config.ts";
export { configAsFile } from "./config-to-file.ts";
export { isSecretOption } from "./credential-options.ts";
export { replaceFile } from "./edit/replace-file.ts";
export { writeFault } from "./edit/writable.ts";
export { configJsonSchema } from "./editor-schema.ts";
export { DISABLING_KEYS, entryKeyHint } from "./entry-keys.ts";
export {
  ConfigError,
  type ConfigFault,
  type ConfigFaultCode,
  formatFault,
} from "./faults.ts";
export { type LoadOptions, loadConfig, type ParseOptions, parseConfig } from "./load.ts";
export { applyOverrides, type Overrides, settingsFromOverrides } from "./overrides.ts";
export { serverUrlFault } from "./server-url.ts";
export { ignoredKeyHint, type Servers, serverNameFault } from "./servers.ts";
export { commandWithoutSecrets } from "./shown-upstream.ts";
export { withoutKeySegments } from "./shown-url.ts";
export type { Environment } from "./variables.ts";
export { type ConfigWatch, watchConfig } from "./watch.ts";
