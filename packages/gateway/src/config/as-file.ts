import { alertSection } from "../features/alerts/alerts.ts";
import { levelKeys } from "../features/level-settings.ts";
import { type CallLimits, limitsSection } from "../features/limits.ts";
import { ofToolAlone } from "../features/section-settings.ts";
import type { ValidationSettings } from "../policy/settings.ts";
import type {
  CallerKeySection,
  CallLimitsSection,
  ChecksSection,
  ConfigFile,
  JwtSection,
  ServerEntry,
  ToolSection,
} from "../settings/schema.ts";
import { sectionOf } from "../settings/sections.ts";
import { HASHED } from "./callers.ts";
import type {
  CallerKey,
  CallerRights,
  GatewayConfig,
  JwtSettings,
  ServerConfig,
} from "./config.ts";

/**
 * Returns a configuration as a complete file. `parseConfig` reads it as the same configuration, whatever the
 * environment holds, except for `ignoredKeys`, which no file of ours has, and references, which are values here.
 */
export function configAsFile(config: GatewayConfig): ConfigFile {
  const { listen, auth, logging, alerts, capability } = config;
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
    ...defined({ policy, pin, lock, capability, ...others }),
    activity: sectionOf("activity", config.activity),
    limits: sectionOf("limits", config.limits),
    telemetry: sectionOf("telemetry", config.telemetry),
    ...(logging === undefined ? {} : { logging }),
    ...(alerts === undefined ? {} : { alerts: alerts.map(alertSection) }),
    mcpServers: Object.fromEntries(
      config.servers.map((server) => [server.name, serverEntry(server, config.settings)]),
    ),
  };
  return literally(file) as ConfigFile;
}

/** Returns a server's entry, with the settings of it and its tools. */
export function serverEntry(
  { upstream, disabled, capability, settings, tools }: ServerConfig,
  above: ValidationSettings,
): ServerEntry {
  const own = [...tools].map(([name, ofTool]) => [name, toolSections(ofTool)] as const);
  const { policy, pin, lock, ...others } = levelKeys(settings, "server", above);
  const touchstone = defined({
    ...sections(settings),
    policy,
    ...limitsOfLevel(settings, "server"),
    ...{ pin, lock, capability, ...others },
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

function limitsOfLevel(
  { limits = [] }: ValidationSettings,
  of: "server" | "tool",
): { readonly limits?: CallLimitsSection } {
  return limitsMember(limits.find(({ level }) => level === of));
}

function limitsMember(own: CallLimits = {}): { readonly limits?: CallLimitsSection } {
  const limits = limitsSection(own);
  return limits === undefined ? {} : { limits };
}

/** Omits what the tool has not set itself, if that makes a difference. */
function toolSections(settings: ValidationSettings): ToolSection {
  const { input_validation = {}, ...rest } = sections(settings);
  return {
    ...rest,
    input_validation: ofToolAlone("input_validation", input_validation, settings.input),
    ...limitsOfLevel(settings, "tool"),
    ...levelKeys(settings, "tool"),
  };
}

function authSection({
  apiKey,
  adminKey,
  keys,
  jwt,
}: GatewayConfig["auth"]): Pick<ConfigFile, "auth"> {
  const auth = {
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(adminKey === undefined ? {} : { admin_key: adminKey }),
    ...(keys === undefined ? {} : { keys: keys.map(keySection) }),
    ...(jwt === undefined ? {} : { jwt: jwtSection(jwt) }),
  };
  return Object.keys(auth).length === 0 ? {} : { auth };
}

function keySection({ name, hash, limits, ...rights }: CallerKey): CallerKeySection {
  return { name, key: HASHED + hash, ...rightsSection(rights), ...limitsMember(limits) };
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
