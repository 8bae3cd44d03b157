import type { Mode, RuleTreatment, SchemaRule } from "../policy/settings.ts";
import type { LogFormat, LogLevel } from "../util/log.ts";

/** What `input_validation` may say at any level. */
export interface InputSection {
  readonly mode?: Mode | undefined;
  readonly max_bytes?: number | undefined;
  readonly max_depth?: number | undefined;
  readonly on_invalid_schema?: "allow" | "block" | undefined;
  readonly on_unknown_schema?: "allow" | "block" | undefined;
  readonly rules?: Readonly<Partial<Record<SchemaRule, RuleTreatment | undefined>>> | undefined;
}
export interface OutputSection extends InputSection {
  readonly missing_structured_content?: "allow" | "block" | undefined;
}
export interface ProtocolSection {
  readonly mode?: Mode | undefined;
  readonly max_bytes?: number | undefined;
}
/** The settings of one level: the whole file, a server, or a tool. */
export interface SettingsSections {
  readonly input_validation?: InputSection | undefined;
  readonly output_validation?: OutputSection | undefined;
  readonly protocol_validation?: ProtocolSection | undefined;
}
export interface ServerSections extends SettingsSections {
  readonly capability?: "pass" | "add" | undefined;
  readonly forward_authorization?: boolean | undefined;
  readonly tools?: Readonly<Record<string, SettingsSections>> | undefined;
}
export interface ServerEntry {
  readonly type?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly httpUrl?: string | undefined;
  readonly serverUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  readonly isActive?: boolean | undefined;
  readonly touchstone?: ServerSections | undefined;
}
export interface ActivitySection {
  readonly sync?: "normal" | "full" | undefined;
  readonly store?: string | undefined;
  readonly bodies?: boolean | undefined;
  readonly body_max_bytes?: number | undefined;
  readonly on_write_failure?: "refuse" | "continue" | undefined;
  readonly drift?: boolean | undefined;
  readonly retention_days?: number | undefined;
  readonly max_records?: number | undefined;
  readonly max_bytes?: number | undefined;
}
export interface LoggingSection {
  readonly format?: LogFormat | undefined;
  readonly level?: LogLevel | undefined;
}
/** What an alert is about. */
export const ALERT_EVENTS = ["blocked", "server_failed", "call_error", "schema_change"] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

export interface AlertSection {
  readonly when?: AlertEvent | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly webhook?:
    | {
        readonly url?: string | undefined;
        readonly secret?: string | undefined;
        readonly format?: "json" | "slack" | undefined;
      }
    | undefined;
  readonly command?: readonly string[] | undefined;
  readonly min_interval?: number | undefined;
}
/** `touchstone.json` as it is written. */
export interface ConfigFile extends SettingsSections {
  readonly $schema?: string | undefined;
  readonly mcpServers?: Readonly<Record<string, ServerEntry>> | undefined;
  readonly forward_authorization?: boolean | undefined;
  readonly capability?: "pass" | "add" | undefined;
  readonly activity?: ActivitySection | undefined;
  readonly limits?:
    | {
        readonly request_bytes?: number | undefined;
        readonly upstream_frame_bytes?: number | undefined;
        readonly sessions?: number | undefined;
        readonly children?: number | undefined;
        readonly object_keys?: number | undefined;
        readonly message_keys?: number | undefined;
        readonly call_timeout?: number | undefined;
        readonly concurrent_calls?: number | undefined;
        readonly tools?: number | undefined;
      }
    | undefined;
  readonly http?: { readonly allow_execute?: boolean | undefined } | undefined;
  readonly listen?:
    | {
        readonly address?: string | undefined;
        readonly allowed_hosts?: readonly string[] | undefined;
        readonly allowed_origins?: readonly string[] | undefined;
      }
    | undefined;
  readonly auth?: { readonly api_key?: string | undefined } | undefined;
  readonly telemetry?:
    | { readonly metrics?: boolean | undefined; readonly otlp?: boolean | undefined }
    | undefined;
  readonly logging?: LoggingSection | undefined;
  readonly alerts?: readonly AlertSection[] | undefined;
}

/** The values that stand where a file says nothing; for limits see `DEFAULT_LIMITS`. */
export const DEFAULT_ADDRESS: string = "127.0.0.1:7411";

/** The keys of an entry that hold the URL of a Streamable HTTP server: ours, Gemini CLI's, Windsurf's. */
export const URL_KEYS = ["url", "httpUrl", "serverUrl"] as const;

/** The keys of an entry that only running the server reads. */
export const RUN_KEYS: readonly string[] = [
  "type",
  "command",
  "args",
  "env",
  "cwd",
  ...URL_KEYS,
  "headers",
];

/**
 * The keys of an entry that turn it off, each with the value that does: ours, that of opencode, mcpproxy and others,
 * Cherry Studio's.
 */
export const OFF: Readonly<Record<"disabled" | "enabled" | "isActive", boolean>> = {
  disabled: true,
  enabled: false,
  isActive: false,
};

/** The keys of a server's entry that are read; every other key belongs to some client. */
export const ENTRY_KEYS: readonly string[] = [...RUN_KEYS, ...Object.keys(OFF), "touchstone"];
