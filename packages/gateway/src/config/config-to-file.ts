import { alertSection } from "../features/alerts/alerts.ts";
import { levelKeys } from "../features/level-settings.ts";
import { type CallLimits, limitsSection } from "../features/limits.ts";
import { withoutInheritedKeys } from "../features/section-settings.ts";
import type {
  CallerKeySection,
  CallLimitsSection,
  ChecksSection,
  ConfigFile,
  JwtSection,
  OidcSection,
  ServerEntry,
  ToolSection,
} from "../settings/schema.ts";
import { sectionOf } from "../settings/sections.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { KEY_HASH_PREFIX } from "./callers.ts";
import type {
  CallerKey,
  CallerRights,
  GatewayConfig,
  JwtSettings,
  OidcSettings,
  ServerConfig,
} from "./config.ts";

/**
 * Returns a configuration as a complete file. `parseConfig` reads it as the same configuration in any environment,
 * except for two things: `ignoredKeys`, which our own files never have, and references, which are replaced by their
 * values.
 */
export function configAsFile(config: GatewayConfig): ConfigFile {
  const { listen, auth, logging, alerts } = config;
  const { policy, pin, lock, ...others } = levelKeys(config.settings, "top");
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  const file: ConfigFile = {
    listen: {
      address: `${host}:${listen.port}`,
      allowed_hosts: listen.allowedHosts,
      allowed_origins: listen.allowedOrigins,
      allowed_headers: listen.allowedHeaders,
      idle_timeout: listen.idleTimeout / 1000,
    },
    ...authSection(auth),
    http: sectionOf("http", config.http),
    ...sections(config.settings),
    ...defined({ policy, pin, lock, ...others }),
    activity: sectionOf("activity", config.activity),
    limits: sectionOf("limits", config.limits),
    telemetry: sectionOf("telemetry", config.telemetry),
    ...(logging === undefined ? {} : { logging }),
    ...(alerts === undefined ? {} : { alerts: alerts.map(alertSection) }),
    ...(config.preset === undefined ? {} : { preset: config.preset }),
    mcpServers: Object.fromEntries(
      config.servers.map((server) => [server.name, serverEntry(server, config.settings)]),
    ),
  };
  return literally(file) as ConfigFile;
}

/** Returns a server's entry, with the settings of it and its tools. */
export function serverEntry(
  { upstream, disabled, preset, settings, tools }: ServerConfig,
  above: ValidationSettings,
): ServerEntry {
  const own = [...tools].map(([name, ofTool]) => [name, toolSections(ofTool)] as const);
  const { policy, limits, pin, lock, ...others } = levelKeys(settings, "server", above);
  const touchstone = defined({
    preset,
    ...sections(settings),
    ...{ policy, limits, pin, lock, ...others },
    tools: own.length === 0 ? undefined : Object.fromEntries(own),
  });
  if (upstream.type === "wrap") return { touchstone };
  if (upstream.type === "stdio") return { ...upstream, disabled, touchstone };
  const { forwardAuthorization: forward_authorization = false, ...reached } = upstream;
  return { ...reached, disabled, touchstone: { ...touchstone, forward_authorization } };
}

function sections({ input, output, protocol }: ValidationSettings): ChecksSection {
  return {
    input_validation: sectionOf("input_validation", input),
    output_validation: sectionOf("output_validation", output),
    protocol_validation: sectionOf("protocol_validation", protocol),
  };
}

function limitsMember(own: CallLimits = {}): { readonly limits?: CallLimitsSection } {
  const limits = limitsSection(own);
  return limits === undefined ? {} : { limits };
}

/** Omits keys that the tool inherits, if setting them at the tool would make a difference. */
function toolSections(settings: ValidationSettings): ToolSection {
  const { input_validation = {}, ...rest } = sections(settings);
  const { narrow, ...others } = levelKeys(settings, "tool");
  return {
    ...rest,
    input_validation: withoutInheritedKeys("input_validation", input_validation, settings.input),
    ...others,
    ...defined({ narrow }),
  };
}

function authSection({
  apiKey,
  adminKey,
  keys,
  jwt,
  sessionLifetime,
  oidc,
}: GatewayConfig["auth"]): Pick<ConfigFile, "auth"> {
  const auth = {
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(adminKey === undefined ? {} : { admin_key: adminKey }),
    ...(keys === undefined ? {} : { keys: keys.map(keySection) }),
    ...(jwt === undefined ? {} : { jwt: jwtSection(jwt) }),
    ...(sessionLifetime === undefined ? {} : { session_lifetime: sessionLifetime / 1000 }),
    ...(oidc === undefined ? {} : { oidc: oidc.map(oidcSection) }),
  };
  return Object.keys(auth).length === 0 ? {} : { auth };
}

function keySection({ name, hash, limits, ...rights }: CallerKey): CallerKeySection {
  return { name, key: KEY_HASH_PREFIX + hash, ...rightsSection(rights), ...limitsMember(limits) };
}

function jwtSection({
  jwksUrl,
  nameClaim,
  serversClaim,
  toolsClaim,
  clockSkew,
  issuer,
  audience,
  algorithms,
  jwks,
  ...rights
}: JwtSettings): JwtSection {
  return {
    issuer,
    audience,
    ...(jwksUrl === undefined ? {} : { jwks_url: jwksUrl }),
    ...(jwks === undefined ? {} : { jwks: jwks as unknown as NonNullable<JwtSection["jwks"]> }),
    algorithms: algorithms as NonNullable<JwtSection["algorithms"]>,
    name_claim: nameClaim,
    ...(serversClaim === undefined ? {} : { servers_claim: serversClaim }),
    ...(toolsClaim === undefined ? {} : { tools_claim: toolsClaim }),
    clock_skew: clockSkew,
    ...rightsSection(rights),
  };
}

function oidcSection({
  clientId: client_id,
  clientSecret: client_secret,
  authMethod: token_endpoint_auth_method,
  redirectUri: redirect_uri,
  nameClaim: name_claim,
  roleClaim: role_claim,
  clockSkew: clock_skew,
  ...same
}: OidcSettings): OidcSection {
  return {
    ...same,
    ...defined({ client_id, client_secret, token_endpoint_auth_method, redirect_uri }),
    ...defined({ name_claim, role_claim, clock_skew }),
  };
}

function rightsSection({
  readOnly,
  ...rest
}: CallerRights): Omit<CallerKeySection, "name" | "key"> {
  return { ...rest, ...(readOnly === undefined ? {} : { read_only: readOnly }) };
}

/** Returns an object without the members that are undefined. */
function defined<Of extends object>(all: Of): Of {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Of;
}

/** The start of a reference to a variable, unless a `$` precedes it. */
const REFERENCE = /\$\{/g;

/** Returns a value with every text escaped so that no variable is substituted. Names are never substituted. */
function literally(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(REFERENCE, (sign) => `$${sign}`);
  if (Array.isArray(value)) return value.map(literally);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literally(member)]));
}
