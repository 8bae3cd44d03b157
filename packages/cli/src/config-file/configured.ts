import {
  ConfigError,
  type GatewayConfig,
  type HttpUpstream,
  type LoadOptions,
  loadConfig,
  loadServers,
  parseConfig,
  type ServerConfig,
  type SkippedServer,
  type StdioUpstream,
} from "@touchstone/gateway/config";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { ServeOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** Returns the files that {@link configuredGateway} reads. */
export function configurationFiles({ config, servers }: ServeOptions): readonly string[] {
  return [config, servers].filter((file) => file !== undefined);
}

/**
 * Reads a configuration file; without one, returns the defaults.
 * @throws ConfigError with all faults of the file
 */
export function configIn(file: string | undefined, options: LoadOptions): GatewayConfig {
  return file === undefined
    ? parseConfig("{}", { ...options, file: "defaults" })
    : loadConfig(file, options);
}

/** A configuration, and the servers that were left out. */
export interface ConfiguredGateway extends GatewayConfig {
  /** Only used for a client's file; our own file is accepted as a whole or refused. */
  readonly leftOut: readonly SkippedServer[];
}

/**
 * Returns the configuration file, with its servers replaced by those of a client's file, if one is given. Without
 * either file there are no servers.
 * @throws ConfigError with all faults of a file
 */
export function configuredGateway(options: ServeOptions, env: CliIo["env"]): ConfiguredGateway {
  const { config: file, servers: client } = options;
  const load = { env, overrides: options };
  const config = configIn(file, load);
  const { settings } = config;
  if (client === undefined) return { ...config, leftOut: [] };
  const servers = loadServers(client, { ...load, settings });
  const secretFiles = [...(config.secretFiles ?? []), ...(servers.secretFiles ?? [])];
  return { ...config, ...servers, ...(secretFiles.length > 0 && { secretFiles }) };
}

/** A server with a known address. */
export type ReachableServer = ServerConfig & { readonly upstream: StdioUpstream | HttpUpstream };

/**
 * Returns a server that can be reached, even if it is disabled.
 * @throws ConfigError with what it lacks; CliExit if the file has only its settings
 */
export function reachableServer(server: ServerConfig): ReachableServer {
  const { name, upstream, faults = [] } = server;
  if (faults.length > 0) throw new ConfigError(faults);
  if (upstream.type !== "wrap") return { ...server, upstream };
  throw new CliExit(
    EXIT_USAGE,
    `the configuration has only settings of "${name}", for touchstone wrap --name ${name}. To reach it, name the client's file that starts it with --servers, or put -- before its command`,
  );
}

/**
 * Returns the server of a name in the configuration.
 * @throws CliExit that lists the existing names; ConfigError with its faults if it was left out
 */
export function namedServer(
  { servers, leftOut }: Pick<ConfiguredGateway, "servers" | "leftOut">,
  name: string,
): ServerConfig {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const out = leftOut.find((server) => server.name === name);
  if (out !== undefined) throw new ConfigError(out.faults);
  const known = servers.map((server) => server.name).join(", ") || "none";
  const message = `the configuration has no server named "${name}"; it has: ${known}`;
  throw new CliExit(EXIT_USAGE, message);
}
