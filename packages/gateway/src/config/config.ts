import type { AlertRule } from "../features/alerts/alerts.ts";
import type { CallLimits } from "../features/limits.ts";
import type { PresetName } from "../features/preset/preset.ts";
import type { ActivitySettings } from "../settings/activity.ts";
import type { ConfigFile, Role, SettingsOf } from "../settings/schema.ts";
import type { ValidationSettings } from "../settings/validation.ts";
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
  /** Whether to forward a client's `Authorization` to the server, if `headers` has none. */
  readonly forwardAuthorization?: boolean;
}

/** A server that `touchstone wrap` starts: the file has its settings, but not how to reach it. */
export interface WrappedUpstream {
  readonly type: "wrap";
}

/** One server, with its settings. */
export interface ServerConfig {
  /** The key in `mcpServers`: the server's name in records and in `/mcp/{server}`. */
  readonly name: string;
  readonly upstream: StdioUpstream | HttpUpstream | WrappedUpstream;
  /** What to show instead of the upstream's words or URL, if the file has references to variables or files there. */
  readonly written?: { readonly words?: readonly string[]; readonly url?: string };
  /** Whether it is not served: it is turned off, or `wrap` starts it. */
  readonly disabled: boolean;
  /**
   * For a disabled server: the reasons why it could not be served if it were enabled, if there are any. `upstream`
   * then holds the parts that are known.
   */
  readonly faults?: readonly ConfigFault[];
  /** The preset of its entry, whose values `settings` has; absent if the entry has none, or `--preset` replaces it. */
  readonly preset?: PresetName;
  readonly settings: ValidationSettings;
  /** Settings of tools that differ from the server's. */
  readonly tools: ReadonlyMap<string, ValidationSettings>;
}

/** An entry of a client's file that cannot be served. */
export interface SkippedServer {
  readonly name: string;
  /** The reasons, at least one, in the order of the text. */
  readonly faults: readonly ConfigFault[];
}

export type { ActivitySettings } from "../settings/activity.ts";
export type TelemetrySettings = SettingsOf<"telemetry">;

/** What a caller may do, with which servers and tools. */
export interface CallerRights {
  readonly role: Role;
  /** Names; absent if it may use all servers. */
  readonly servers?: readonly string[];
  /** Names and globs; absent if it may use all tools. */
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
}

/** A key of a caller. Two keys with one name belong to one caller and must allow the same. */
export interface CallerKey extends CallerRights {
  readonly name: string;
  /** Absent if the caller has no limits of its own. */
  readonly limits?: CallLimits;
  /** SHA-256 of the key, in lower-case hex. */
  readonly hash: string;
}

/** Which access tokens to accept, and what their callers may do. */
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

/** The roles that a group of an identity provider can give. */
export type PersonRole = Exclude<Role, "caller">;

/** An identity provider that signs people in to the console. */
export interface OidcSettings {
  /** Part of the redirect URI. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Absent if the provider's metadata decides. */
  readonly authMethod?: "client_secret_basic" | "client_secret_post";
  /** An absolute URL that ends in {@link callbackPath}; absent if it follows from the address, on loopback. */
  readonly redirectUri?: string;
  /** `openid` is one of them. */
  readonly scopes: readonly string[];
  /** Absent if the first of several well-known claims counts. */
  readonly nameClaim?: string;
  readonly roleClaim: string;
  /** By group; at least one. */
  readonly roles: Readonly<Record<string, PersonRole>>;
  /** In seconds. */
  readonly clockSkew: number;
}

/** The content of `touchstone.json`, with defaults. `settings/schema.ts` describes its sections. */
export interface GatewayConfig {
  /** The top level's settings; each server's own are in its entry. */
  readonly settings: ValidationSettings;
  /** The preset of the top level or of the command line, whose values `settings` has; absent if there is none. */
  readonly preset?: PresetName;
  readonly servers: readonly ServerConfig[];
  readonly listen: {
    readonly host: string;
    readonly port: number;
    /** `Host` values accepted besides loopback names. */
    readonly allowedHosts: readonly string[];
    /** `Origin` values accepted besides loopback origins. */
    readonly allowedOrigins: readonly string[];
    /** Request headers that pages at these origins may send, besides those of MCP. */
    readonly allowedHeaders: readonly string[];
    /** How long a connection without a request stays open, in milliseconds. */
    readonly idleTimeout: number;
  };
  readonly auth: {
    readonly apiKey?: string;
    /** Lets the operator change servers over HTTP. */
    readonly adminKey?: string;
    /** The callers with keys; absent if there are none. */
    readonly keys?: readonly CallerKey[];
    /** Absent if no access tokens are accepted. */
    readonly jwt?: JwtSettings;
    /** How long a browser stays signed in to the console, in milliseconds; absent for 12 hours. */
    readonly sessionLifetime?: number;
    /** Absent if no identity provider signs people in. */
    readonly oidc?: readonly OidcSettings[];
  };
  /** For the HTTP tool API. */
  readonly http: SettingsOf<"http">;
  readonly activity: ActivitySettings;
  readonly limits: SettingsOf<"limits">;
  readonly telemetry: TelemetrySettings;
  /** Which records to send, and where; absent if none are sent. */
  readonly alerts?: readonly AlertRule[];
  /** The file's settings for the command's log. A gateway writes to the logger that it is given. */
  readonly logging?: NonNullable<ConfigFile["logging"]>;
  /** The entries of a client's file that are missing in `servers`; absent if the servers do not come from one. */
  readonly leftOut?: readonly SkippedServer[];
  /** Ignored keys of clients, as `mcpServers.NAME.key`. */
  readonly ignoredKeys: readonly string[];
  /** The keys that can be guessed, such as `auth.api_key`; absent if there are none. Only on loopback. */
  readonly shortKeys?: readonly string[];
  /** The files that `${file:PATH}` names; absent if there are none. */
  readonly secretFiles?: readonly string[];
}
