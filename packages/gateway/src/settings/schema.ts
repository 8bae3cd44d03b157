import type { CamelCase, TypeOf } from "@touchstone/util/schema";
import { ALERTS } from "../features/alerts/alerts.ts";
import { MODE_VALUES } from "../features/decision.ts";
import { levelProperties } from "../features/level-settings.ts";
import { limitProperties } from "../features/limits.ts";
import { CALL_LIMITS } from "../features/limits-setting.ts";
import { PRESET } from "../features/preset/preset.ts";
import { sectionProperties } from "../features/section-settings.ts";
import { TOOL_PATTERNS } from "../features/tool-lists/tool-rules.ts";

// `policy` comes first in the reference of keys.
const { policy: POLICY, ...OF_FILE } = levelProperties("top");
const { policy: POLICY_OF_SERVER, ...OF_SERVER } = levelProperties("server");
// In the reference of keys, `limits` comes first for a tool as well.
const { narrow: NARROW, ...OF_TOOL } = levelProperties("tool");

/**
 * The content of `touchstone.json`, as one JSON Schema (2020-12). The types below, the check of a file, the defaults,
 * the schema for editors and the reference of keys are all made from it.
 *
 * Two annotations have a special meaning. `writeOnly`: the value may be a secret, so no message shows it; it applies
 * to everything inside, unless a part inside sets it to `false`. `patternErrorMessage` (from VS Code) is the end of
 * the sentence about a text that does not match its pattern.
 */
export const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "touchstone.json",
  type: "object",
  properties: {
    $schema: { type: "string" },
    mcpServers: { $ref: "#/$defs/servers" },
    preset: PRESET,
    input_validation: { $ref: "#/$defs/input" },
    output_validation: { $ref: "#/$defs/output" },
    protocol_validation: { $ref: "#/$defs/protocol" },
    policy: POLICY,
    forward_authorization: { $ref: "#/$defs/forward_authorization" },
    ...OF_FILE,
    activity: {
      type: "object",
      properties: {
        sync: {
          enum: ["normal", "full"],
          default: "normal",
          description: "full also survives a loss of power",
        },
        store: {
          type: "string",
          pattern: "^postgres(?:ql)?://.",
          patternErrorMessage: "must be a postgres:// or postgresql:// URL",
          writeOnly: true,
          description: "A PostgreSQL URL (default: SQLite in the data directory)",
        },
        // Its default depends on the whole file: `settings/activity.ts`.
        bodies: {
          enum: ["failed", "all", true, false],
          description:
            'What records keep, redacted: arguments of calls that failed a check, all arguments and results ("all" or true), or neither. The default is failed, and false for an address beyond loopback or a PostgreSQL store',
        },
        body_max_bytes: {
          $ref: "#/$defs/bytes",
          default: 65_536,
          description: "Maximum size of a kept body, in bytes; longer ones are cut",
        },
        on_write_failure: {
          enum: ["refuse", "continue"],
          default: "refuse",
          description: "What happens to a message whose record cannot be kept",
        },
        ...sectionProperties("activity"),
        retention_days: {
          type: "integer",
          minimum: 1,
          maximum: 36_500,
          default: 90,
          description: "Days to keep records; older ones are removed",
        },
        max_records: {
          $ref: "#/$defs/count",
          description: "Maximum number of records; the oldest are removed first",
        },
        max_bytes: {
          $ref: "#/$defs/count",
          description: "Maximum size of all records, in bytes; the oldest are removed first",
        },
      },
      additionalProperties: false,
    },
    limits: {
      type: "object",
      properties: {
        request_bytes: {
          $ref: "#/$defs/bytes",
          default: 16_777_216,
          description: "Largest request of a client",
        },
        unfinished_bytes: {
          $ref: "#/$defs/bytes",
          default: 134_217_728,
          description: "Bytes of all HTTP request bodies that have not arrived whole",
        },
        upstream_frame_bytes: {
          $ref: "#/$defs/bytes",
          default: 67_108_864,
          description: "Largest message of an upstream",
        },
        sessions: {
          type: "integer",
          minimum: 1,
          maximum: 100_000,
          default: 100,
          description: "Sessions of one server at a time",
        },
        children: {
          type: "integer",
          minimum: 1,
          maximum: 100_000,
          default: 200,
          description: "Child processes at a time",
        },
        object_keys: {
          $ref: "#/$defs/keys",
          default: 65_536,
          description: "Largest number of keys in one object of a message",
        },
        message_keys: {
          $ref: "#/$defs/keys",
          default: 1_000_000,
          description: "Largest number of keys in one message",
        },
        concurrent_calls: {
          $ref: "#/$defs/count",
          description: "Concurrent tool calls at one server",
        },
        tools: {
          type: "integer",
          minimum: 1,
          maximum: 1_000_000,
          default: 10_000,
          description: "Tools to read from a server's list",
        },
        ...limitProperties("top"),
        call_timeout: {
          $ref: "#/$defs/seconds",
          description: "Maximum duration of a tool call, in seconds",
        },
      },
      additionalProperties: false,
    },
    http: {
      type: "object",
      properties: {
        allow_execute: {
          type: "boolean",
          default: false,
          description: "Let the HTTP tool API run tools",
        },
        edit_servers: {
          type: "boolean",
          description:
            "Let the operator add and change servers over HTTP (default: only on loopback)",
        },
      },
      additionalProperties: false,
    },
    listen: {
      type: "object",
      properties: {
        address: {
          type: "string",
          default: "127.0.0.1:7411",
          description: "HOST:PORT or [IPV6]:PORT",
        },
        allowed_hosts: { $ref: "#/$defs/texts", description: "Host values besides loopback names" },
        allowed_origins: { $ref: "#/$defs/texts", description: "Origins besides loopback origins" },
        allowed_headers: {
          $ref: "#/$defs/texts",
          description: "Headers that pages at these origins may send besides those of MCP",
        },
        idle_timeout: {
          type: "integer",
          minimum: 1,
          maximum: 86_400,
          default: 75,
          description: "Time that a connection without a request stays open, in seconds",
        },
      },
      additionalProperties: false,
    },
    telemetry: {
      type: "object",
      properties: {
        metrics: {
          type: "boolean",
          default: false,
          description: "Serve GET /metrics for Prometheus",
        },
        otlp: {
          type: "boolean",
          description: "Send traces and metrics by OTLP (default: if OTEL_* variables ask for it)",
        },
        records: {
          enum: [false, true, "bodies"],
          description:
            "Send activity records by OTLP: true without arguments and results, bodies as they are stored",
        },
      },
      additionalProperties: false,
    },
    logging: {
      type: "object",
      properties: {
        format: {
          enum: ["text", "json"],
          default: "text",
          description: "Format of the log on stderr: text for people, or JSON Lines",
        },
        level: {
          enum: ["debug", "info", "warn", "error", "silent"],
          default: "info",
          description: "Lowest level of log lines",
        },
      },
      additionalProperties: false,
    },
    alerts: ALERTS,
    auth: {
      type: "object",
      writeOnly: true,
      properties: {
        api_key: {
          type: "string",
          description:
            "A key for MCP and the tool API. Beyond loopback, this, keys or jwt is required",
        },
        admin_key: {
          type: "string",
          description:
            "The operator's key: reads records, changes settings and servers, and approves",
        },
        keys: {
          type: "array",
          description: "Keys of callers, each with a name for records",
          items: {
            type: "object",
            properties: {
              name: {
                type: "string",
                pattern: "^[^\\p{Cc}\\p{Cs}]{1,128}$",
                patternErrorMessage: "must be 1 to 128 characters, without control characters",
                writeOnly: false,
                description: "Who has the key; two entries of one name are one caller",
              },
              key: {
                type: "string",
                description: "The key, or sha256: and its hash in hex",
              },
              role: { $ref: "#/$defs/role", writeOnly: false },
              servers: {
                $ref: "#/$defs/texts",
                writeOnly: false,
                description: "Only these servers, by name",
              },
              tools: {
                $ref: "#/$defs/tool_patterns",
                writeOnly: false,
                description: "Only these tools may be listed and called",
              },
              read_only: {
                type: "boolean",
                writeOnly: false,
                description: "Only tools that declare readOnlyHint: true may be listed and called",
              },
              limits: { $ref: "#/$defs/call_limits", writeOnly: false },
            },
            additionalProperties: false,
          },
        },
        session_lifetime: {
          type: "integer",
          minimum: 60,
          maximum: 2_592_000,
          default: 43_200,
          writeOnly: false,
          description: "Time that a browser stays signed in to the console, in seconds",
        },
        jwt: {
          type: "object",
          writeOnly: false,
          description: "Access tokens of callers: JSON Web Tokens of one issuer",
          properties: {
            issuer: { type: "string", description: "The claim iss of its tokens, exactly" },
            audience: {
              type: "string",
              description:
                "The claim aud of its tokens, exactly; {server} is replaced by a server's name",
            },
            jwks_url: {
              type: "string",
              description: "URL of its public keys: https, or http on loopback",
            },
            jwks: {
              type: "object",
              description: "Its public keys, instead of jwks_url: a JSON Web Key Set",
              properties: {
                keys: {
                  type: "array",
                  items: { type: "object" },
                },
              },
              additionalProperties: false,
            },
            algorithms: {
              type: "array",
              items: {
                enum: [
                  "RS256",
                  "RS384",
                  "RS512",
                  "PS256",
                  "PS384",
                  "PS512",
                  "ES256",
                  "ES384",
                  "ES512",
                  "EdDSA",
                ],
              },
              default: ["RS256", "ES256", "EdDSA"],
              description: "Algorithms of signatures; all others are refused",
            },
            name_claim: {
              type: "string",
              default: "sub",
              description: "The claim with the caller's name",
            },
            servers_claim: {
              type: "string",
              description: "The claim with the servers of the caller",
            },
            tools_claim: {
              type: "string",
              description: "The claim with the tools of the caller",
            },
            clock_skew: {
              type: "integer",
              minimum: 0,
              maximum: 300,
              default: 30,
              description: "Maximum deviation of the issuer's clock, in seconds",
            },
            role: { $ref: "#/$defs/role" },
            servers: { $ref: "#/$defs/texts", description: "Only these servers, by name" },
            tools: {
              $ref: "#/$defs/tool_patterns",
              description: "Only these tools may be listed and called",
            },
            read_only: {
              type: "boolean",
              description: "Only tools that declare readOnlyHint: true may be listed and called",
            },
          },
          additionalProperties: false,
        },
        oidc: {
          type: "array",
          // A list with a single item may be written as that item.
          single: true,
          description: "Identity providers that sign people in to the console, by OpenID Connect",
          items: {
            type: "object",
            properties: {
              name: {
                writeOnly: false,
                type: "string",
                pattern: "^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$",
                patternErrorMessage:
                  "must be 1 to 32 lower-case letters, digits and hyphens inside: it is part of the redirect URI",
                default: "oidc",
                description: "The provider's name, in its redirect URI and in records",
              },
              label: {
                writeOnly: false,
                type: "string",
                pattern: "^[^\\p{Cc}\\p{Cs}]{1,64}$",
                patternErrorMessage: "must be 1 to 64 characters, without control characters",
                description: "The name on the sign-in page (default: name)",
              },
              issuer: {
                writeOnly: false,
                type: "string",
                description: "The provider's issuer URL: https, or http on loopback",
              },
              client_id: {
                writeOnly: false,
                type: "string",
                pattern: "^[\\x20-\\x7e]{1,256}$",
                patternErrorMessage: "must be 1 to 256 visible ASCII characters",
                description: "The gateway's client ID at the provider",
              },
              client_secret: {
                type: "string",
                writeOnly: true,
                description: "The gateway's client secret at the provider",
              },
              token_endpoint_auth_method: {
                writeOnly: false,
                enum: ["client_secret_basic", "client_secret_post"],
                description:
                  "How the client secret is sent (default: client_secret_basic, unless the provider lists only client_secret_post)",
              },
              redirect_uri: {
                writeOnly: false,
                type: "string",
                description:
                  "The redirect URI that is registered with the provider (default: the gateway's address, on loopback)",
              },
              scopes: {
                writeOnly: false,
                type: "array",
                items: {
                  type: "string",
                  pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$",
                  patternErrorMessage: "must be one scope, without spaces",
                },
                default: ["openid", "profile", "email"],
                description: "Scopes to request; openid is always added",
              },
              name_claim: {
                writeOnly: false,
                type: "string",
                pattern: "^[^\\p{Cc}\\p{Cs}]{1,256}$",
                patternErrorMessage: "must be the name of a claim, of 1 to 256 characters",
                description:
                  "The claim with the person's name (default: the first of preferred_username, email, name and sub)",
              },
              role_claim: {
                writeOnly: false,
                type: "string",
                pattern: "^[^\\p{Cc}\\p{Cs}]{1,256}$",
                patternErrorMessage: "must be the name of a claim, of 1 to 256 characters",
                default: "groups",
                description:
                  "The claim with the person's groups; dots lead to members: realm_access.roles",
              },
              roles: {
                writeOnly: false,
                type: "object",
                additionalProperties: { enum: ["viewer", "admin"] },
                description: "The role of each group; the highest one applies",
              },
              clock_skew: {
                writeOnly: false,
                type: "integer",
                minimum: 0,
                maximum: 300,
                default: 30,
                description: "Maximum deviation of the provider's clock, in seconds",
              },
            },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
  $defs: {
    role: {
      enum: ["caller", "viewer", "admin"],
      default: "caller",
      description:
        "caller: servers and tools; viewer: also reads records and settings; admin: also changes them",
    },
    servers: { type: "object", additionalProperties: { $ref: "#/$defs/server" } },
    // An entry, without the conditions between its keys. Clients have further keys.
    server: {
      type: "object",
      writeOnly: true,
      properties: {
        type: {
          enum: ["stdio", "http", "streamable-http", "streamableHttp"],
          writeOnly: false,
          description: "Transport of the server (default: by command or url)",
        },
        command: { type: "string", description: "Program of a stdio server" },
        args: { $ref: "#/$defs/texts", words: true, description: "Arguments of the program" },
        env: {
          $ref: "#/$defs/text_map",
          description: "Variables to add to the safe part of the environment",
        },
        cwd: { type: "string", description: "Folder in which the program starts" },
        url: { type: "string", description: "URL of a Streamable HTTP server" },
        httpUrl: { type: "string", description: "Gemini CLI's name for url" },
        serverUrl: { type: "string", description: "Windsurf's name for url" },
        headers: { $ref: "#/$defs/text_map", description: "Sent with every request to the URL" },
        disabled: { type: "boolean", description: "The server is listed and not served" },
        enabled: { type: "boolean", description: "false: the same as disabled" },
        isActive: { type: "boolean", description: "false: the same as disabled" },
        touchstone: {
          type: "object",
          writeOnly: false,
          properties: {
            preset: PRESET,
            input_validation: { $ref: "#/$defs/input" },
            output_validation: { $ref: "#/$defs/output" },
            protocol_validation: { $ref: "#/$defs/protocol" },
            policy: POLICY_OF_SERVER,
            forward_authorization: { $ref: "#/$defs/forward_authorization" },
            ...OF_SERVER,
            tools: { type: "object", additionalProperties: { $ref: "#/$defs/tool" } },
          },
          additionalProperties: false,
        },
      },
    },
    // The checks of one tool, like those of a server and the whole file, and the limits of its calls.
    tool: {
      type: "object",
      properties: {
        input_validation: { $ref: "#/$defs/input" },
        output_validation: { $ref: "#/$defs/output" },
        protocol_validation: { $ref: "#/$defs/protocol" },
        ...OF_TOOL,
        narrow: NARROW,
      },
      additionalProperties: false,
    },
    input: {
      type: "object",
      properties: {
        mode: {
          $ref: "#/$defs/mode",
          description:
            "Arguments of calls: off checks nothing, warn records failures, strict blocks them; duplicate keys are for protocol_validation",
        },
        max_bytes: {
          $ref: "#/$defs/bytes",
          default: 5_242_880,
          description: "Maximum payload to check, in bytes",
        },
        max_depth: { $ref: "#/$defs/depth" },
        ...sectionProperties("input_validation"),
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        mode: {
          $ref: "#/$defs/mode",
          description:
            "Structured results of calls: off checks nothing, warn records failures, strict blocks them",
        },
        max_bytes: {
          $ref: "#/$defs/bytes",
          default: 5_242_880,
          description: "Maximum payload to check, in bytes",
        },
        max_depth: { $ref: "#/$defs/depth" },
        ...sectionProperties("output_validation"),
      },
      additionalProperties: false,
    },
    protocol: {
      type: "object",
      properties: {
        mode: {
          $ref: "#/$defs/mode",
          description:
            "JSON-RPC and MCP messages: off checks nothing, warn records failures, strict blocks them",
        },
        max_bytes: {
          $ref: "#/$defs/bytes",
          default: 1_048_576,
          description: "Maximum message to check, without its long values, in bytes",
        },
      },
      additionalProperties: false,
    },
    tool_patterns: TOOL_PATTERNS,
    mode: { enum: MODE_VALUES, default: "warn" },
    depth: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      default: 64,
      description: "Maximum depth of a payload to check, in levels",
    },
    forward_authorization: {
      type: "boolean",
      default: false,
      description: "Forward a client's Authorization header to servers with a URL",
    },
    call_limits: CALL_LIMITS,
    bytes: { type: "integer", minimum: 1, maximum: 1_073_741_824 },
    keys: { type: "integer", minimum: 1, maximum: 100_000_000 },
    count: { type: "integer", minimum: 1, maximum: 9_007_199_254_740_991 },
    // The only numbers that need not be integers.
    seconds: { type: "number", exclusiveMinimum: 0, maximum: 86_400 },
    texts: { type: "array", items: { type: "string" } },
    text_map: { type: "object", additionalProperties: { type: "string" } },
  },
} as const;

type Definitions = (typeof SCHEMA)["$defs"];
export type Sections = (typeof SCHEMA)["properties"];

/** A schema with its definitions. */
export type ResolvedSchema<S> = S extends {
  $ref: `#/$defs/${infer Name extends keyof Definitions}`;
}
  ? Omit<Definitions[Name], keyof S> & S
  : S;

/** The type of a value in the file. All keys are optional. */
export type WrittenValue<S> = TypeOf<S, Definitions>;

/** `touchstone.json` as it is written. */
export type ConfigFile = WrittenValue<typeof SCHEMA>;
/** A server's entry. Clients have further keys in theirs. */
export type ServerEntry = WrittenValue<Definitions["server"]>;
/** The checks of the whole file, a server or a tool. */
export type ChecksSection = Pick<ToolSection, CheckSectionName>;
/** The limits on calls of a server, a tool or a caller. */
export type CallLimitsSection = WrittenValue<Definitions["call_limits"]>;
/** The settings of one tool. */
export type ToolSection = WrittenValue<Definitions["tool"]>;
/** The section `policy` of one level: the whole file, or a server. */
export type PolicySection = NonNullable<ConfigFile["policy"]>;
/** One entry of `auth.keys`. */
export type CallerKeySection = WrittenValue<Sections["auth"]["properties"]["keys"]["items"]>;
/** The section `auth.jwt`. */
export type JwtSection = WrittenValue<Sections["auth"]["properties"]["jwt"]>;
/** One entry of `auth.oidc`. */
export type OidcSection = WrittenValue<Sections["auth"]["properties"]["oidc"]["items"]>;
/** What a caller may do besides calling tools. */
export type Role = NonNullable<CallerKeySection["role"]>;
/** The default of `listen.idle_timeout`. */
export const DEFAULT_IDLE: number = SCHEMA.properties.listen.properties.idle_timeout.default;
/** The default of `auth.session_lifetime`, in seconds. */
export const DEFAULT_LIFETIME: number = SCHEMA.properties.auth.properties.session_lifetime.default;
/** The default address to listen at. */
export const DEFAULT_ADDRESS: string = SCHEMA.properties.listen.properties.address.default;

type Keys<Of> = Of extends { properties: infer Inside } ? Inside : never;
type HasDefault<S> = ResolvedSchema<S> extends { default: unknown } ? true : false;

/** A section as the program uses it: names in camel case, and every key that has a default. */
type Read<Inside> = {
  readonly [Key in keyof Inside as HasDefault<Inside[Key]> extends true
    ? CamelCase<Key>
    : never]: WrittenValue<Inside[Key]>;
} & {
  readonly [Key in keyof Inside as HasDefault<Inside[Key]> extends true
    ? never
    : CamelCase<Key>]?: WrittenValue<Inside[Key]>;
};

/** Sections of the file that are read key by key. */
export type SectionName = "activity" | "limits" | "http" | "telemetry" | CheckSectionName;
/** The sections of checks, for the file, a server or a tool. */
export const CHECK_SECTIONS = [
  "input_validation",
  "output_validation",
  "protocol_validation",
] as const;
export type CheckSectionName = (typeof CHECK_SECTIONS)[number];
/** {@link settingsOf} of a section. */
export type SettingsOf<Name extends SectionName> = Read<Keys<ResolvedSchema<Sections[Name]>>>;
