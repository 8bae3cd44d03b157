import type { SchemaCheckSettings, ValidationSettings } from "../policy/settings.ts";
import type { ActivitySettings, AlertRule, GatewayConfig, ServerConfig } from "./config.ts";
import type {
  ActivitySection,
  AlertSection,
  ConfigFile,
  InputSection,
  ServerEntry,
  SettingsSections,
} from "./config-file.ts";

/**
 * A configuration as a file that says all of it: read by `parseConfig`, the file gives the same
 * configuration again, whatever the environment holds, but for `ignoredKeys`, which no file of ours has.
 */
export function configAsFile(config: GatewayConfig): ConfigFile {
  const { listen, auth, limits, telemetry, logging, alerts } = config;
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  const file: ConfigFile = {
    listen: {
      address: `${host}:${listen.port}`,
      allowed_hosts: listen.allowedHosts,
      allowed_origins: listen.allowedOrigins,
    },
    ...(auth.apiKey === undefined ? {} : { auth: { api_key: auth.apiKey } }),
    http: { allow_execute: config.http.allowExecute },
    ...sections(config.settings),
    capability: config.capability,
    activity: activitySection(config.activity),
    limits: {
      request_bytes: limits.requestBytes,
      upstream_frame_bytes: limits.upstreamFrameBytes,
      sessions: limits.sessions,
      children: limits.children,
      object_keys: limits.objectKeys,
      message_keys: limits.messageKeys,
      call_timeout: limits.callTimeout,
      concurrent_calls: limits.concurrentCalls,
      tools: limits.tools,
    },
    telemetry,
    ...(logging === undefined ? {} : { logging }),
    ...(alerts === undefined ? {} : { alerts: alerts.map(alertSection) }),
    mcpServers: Object.fromEntries(config.servers.map((server) => [server.name, entry(server)])),
  };
  return literally(file) as ConfigFile;
}

function entry({ upstream, disabled, capability, settings, tools }: ServerConfig): ServerEntry {
  const own = [...tools].map(([name, settingsOfTool]) => [name, sections(settingsOfTool)] as const);
  const touchstone = {
    ...sections(settings),
    capability,
    ...(own.length === 0 ? {} : { tools: Object.fromEntries(own) }),
  };
  if (upstream.type === "wrap") return { touchstone };
  if (upstream.type === "stdio") return { ...upstream, disabled, touchstone };
  const { forwardAuthorization: forward_authorization = false, ...reached } = upstream;
  return { ...reached, disabled, touchstone: { ...touchstone, forward_authorization } };
}

function sections({ input, output, protocol }: ValidationSettings): SettingsSections {
  return {
    input_validation: section(input),
    output_validation: {
      ...section(output),
      missing_structured_content: output.missingStructuredContent,
    },
    protocol_validation: { mode: protocol.mode, max_bytes: protocol.maxBytes },
  };
}

function section(settings: SchemaCheckSettings): InputSection {
  return {
    mode: settings.mode,
    max_bytes: settings.maxBytes,
    max_depth: settings.maxDepth,
    on_invalid_schema: settings.onInvalidSchema,
    on_unknown_schema: settings.onUnknownSchema,
    rules: settings.rules,
  };
}

function activitySection(settings: ActivitySettings): ActivitySection {
  return {
    sync: settings.sync,
    store: settings.store,
    bodies: settings.bodies,
    body_max_bytes: settings.bodyMaxBytes,
    on_write_failure: settings.onWriteFailure,
    drift: settings.drift,
    retention_days: settings.retentionDays,
    max_records: settings.maxRecords,
    max_bytes: settings.maxBytes,
  };
}

function alertSection({ to, minInterval, ...rule }: AlertRule): AlertSection {
  return { ...rule, ...to, ...(minInterval === 0 ? {} : { min_interval: minInterval }) };
}

/** Begins a reference to a variable, unless a `$` stands before it. */
const REFERENCE = /\$\{/g;

/** Without what is not set, and with every text written so that no variable is put in. Names are never read. */
function literally(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(REFERENCE, (sign) => `$${sign}`);
  if (Array.isArray(value)) return value.map(literally);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, literally(member)]),
  );
}
