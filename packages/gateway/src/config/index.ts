export type { AlertRule } from "../features/alerts/alerts.ts";
export { blocksUnusable, isExternal } from "../features/invalid-schemas/decide.ts";
export {
  decideTool,
  refusesTools,
  type UnmatchedPattern,
  unmatchedPatterns,
} from "../features/tool-lists/decide.ts";
export { stillBlocking, stillBlockingText } from "../policy/still-blocking.ts";
export type { ConfigFile } from "../settings/schema.ts";
export { homeHint, isOnPath } from "../util/command-on-path.ts";
export { REDACTED, withoutKnownSecrets } from "../util/known-secrets.ts";
export { isLoopback } from "../util/loopback.ts";
export { ProcessTree } from "../util/process-tree.ts";
export { isSecretName, redactText } from "../util/secret-text.ts";
export { tlsErrorText } from "../util/tls-error.ts";
export { parseListenAddress } from "./address.ts";
export { configAsFile } from "./as-file.ts";
export { HASHED, hashOfKey } from "./callers.ts";
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
  LeftOut,
  ServerConfig,
  StdioUpstream,
  WrappedUpstream,
} from "./config.ts";
export { replaceFile } from "./edit/replace-file.ts";
export { writeFault } from "./edit/writable.ts";
export { configJsonSchema } from "./editor-schema.ts";
export { entryKeyHint, OFF } from "./entry-keys.ts";
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
export { withoutSecrets } from "./shown-upstream.ts";
export { withoutKeys } from "./shown-url.ts";
export type { Environment } from "./variables.ts";
export { type ConfigWatch, watchConfig } from "./watch.ts";
