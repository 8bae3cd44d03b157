import type { ValidationSettings } from "../policy/settings.ts";
import type { AlertEvent, ConfigFile, Role, SettingsOf } from "../settings/schema.ts";
import type { ConfigFault } from "./faults.ts";

/** A server that is started as a child process. */
export interface StdioUpstream {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the safe part of the gateway's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that is reached over Streamable HTTP. */
export interface HttpUpstream {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a client's own `Authorization` goes to the server, where `headers` has none. */
  readonly forwardAuthorization?: boolean;
}

/** A server that `touchstone wrap` stands in front of: the file holds its settings, and not how it is reached. */
export interface WrappedUpstream {
  readonly type: "wrap";
}

/**
 * Whether the gateway adds the validation capability to servers that lack it (`add`), or leaves
 * their messages as they are (`pass`).
 */
export type CapabilityMode = NonNullable<ConfigFile["capability"]>;

/** One server, with the settings that hold for it. */
export interface ServerConfig {
  /** The key in `mcpServers`; names the server in records and in `/mcp/{server}`. */
  readonly name: string;
  readonly upstream: StdioUpstream | HttpUpstream | WrappedUpstream;
  /** It is not served: it is turned off, or the upstream is that of a wrap. */
  readonly disabled: boolean;
  /**
   * Why it could not be served if it were enabled. Only of a disabled server, and only where there is something;
   * `upstream` then holds what can be told of it.
   */
  readonly faults?: readonly ConfigFault[];
  readonly capability: CapabilityMode;
  readonly settings: ValidationSettings;
  /** Settings of single tools that differ from the server's. */
  readonly tools: ReadonlyMap<string, ValidationSettings>;
}

/** An entry of a client's file that cannot be served. */
export interface LeftOut {
  readonly name: string;
  /** Why: at least one, in the order of the text. */
  readonly faults: readonly ConfigFault[];
}

/** Where records are kept, what they hold and for how long. */
export type ActivitySettings = SettingsOf<"activity">;
export type TelemetrySettings = SettingsOf<"telemetry">;

/** Where a webhook's requests go, and what is in them. */
export interface Webhook {
  /** An absolute `http:` or `https:` URL. */
  readonly url: string;
  /** The key of the signature; requests are not signed without one. */
  readonly secret?: string;
  /** `json`: the record. `slack`: a text, as Slack's incoming webhooks take it. */
  readonly format: "json" | "slack";
}

/** One entry of `alerts`: which records somebody wants to hear of, and how. */
export interface AlertRule {
  readonly when: AlertEvent;
  /** Only records of this server. */
  readonly server?: string;
  /** Only records of this tool. */
  readonly tool?: string;
  /** Least time between two alerts of this rule, in seconds. 0: every record is one. */
  readonly minInterval: number;
  /** A request, or a program with its arguments that gets the record on stdin. */
  readonly to: { readonly webhook: Webhook } | { readonly command: readonly string[] };
}

/** What a caller may do, and with which servers and tools. */
export interface CallerRights {
  readonly role: Role;
  /** Names; absent if all servers are for it. */
  readonly servers?: readonly string[];
  /** Names and globs; absent if all tools are for it. */
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
}

/** A key of a caller. Two keys of one name are one caller's, and allow the same. */
export interface CallerKey extends CallerRights {
  readonly name: string;
  /** SHA-256 of the key, in lower-case hex. */
  readonly hash: string;
}

/** Which access tokens are accepted, and what their callers may do. */
export interface JwtSettings extends CallerRights {
  readonly issuer: string;
  /** `{server}` in it is replaced by a server's name. */
  readonly audience: string;
  /** An absolute URL; absent if `jwks` is set. */
  readonly jwksUrl?: string;
  /** A JSON Web Key Set of public keys. */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  readonly algorithms: readonly string[];
  readonly nameClaim: string;
  readonly serversClaim?: string;
  readonly toolsClaim?: string;
  /** In seconds. */
  readonly clockSkew: number;
}

/** All that `touchstone.json` says, defaults filled in. What its sections hold is said in `settings/schema.ts`. */
export interface GatewayConfig {
  /** The top level's settings; each server's own are in its entry. */
  readonly settings: ValidationSettings;
  /** The top level's; each server's own is in its entry. */
  readonly capability: CapabilityMode;
  readonly servers: readonly ServerConfig[];
  readonly listen: {
    readonly host: string;
    readonly port: number;
    /** `Host` values accepted besides loopback names. */
    readonly allowedHosts: readonly string[];
    /** `Origin` values accepted besides loopback origins. */
    readonly allowedOrigins: readonly string[];
  };
  readonly auth: {
    readonly apiKey?: string;
    /** Lets the operator change servers over HTTP. */
    readonly adminKey?: string;
    /** The callers that are known by a key; absent if there are none. */
    readonly keys?: readonly CallerKey[];
    /** Absent if no access tokens are accepted. */
    readonly jwt?: JwtSettings;
  };
  /** Of the HTTP tool API. */
  readonly http: SettingsOf<"http">;
  readonly activity: ActivitySettings;
  readonly limits: SettingsOf<"limits">;
  readonly telemetry: TelemetrySettings;
  /** Who hears of which records; absent if nobody does. */
  readonly alerts?: readonly AlertRule[];
  /** What the file says of the command's log. A gateway writes to the logger that it is given. */
  readonly logging?: NonNullable<ConfigFile["logging"]>;
  /** The entries of a client's file that are not among `servers`; absent where the servers are not from one. */
  readonly leftOut?: readonly LeftOut[];
  /** Keys of foreign clients that were read over, as `mcpServers.NAME.key`. */
  readonly ignoredKeys: readonly string[];
}
