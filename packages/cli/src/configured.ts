import {
  ConfigError,
  type GatewayConfig,
  loadConfig,
  loadServers,
  parseConfig,
  type ServerConfig,
} from "@touchstone/gateway/config";
import type { ServeOptions } from "./common-options.ts";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import type { CliIo } from "./io.ts";

/** The files that {@link configuredGateway} reads. */
export function configurationFiles({ config, servers }: ServeOptions): readonly string[] {
  return [config, servers].filter((file) => file !== undefined);
}

/**
 * The configuration file, with the servers of a client's file in the place of its own. With neither
 * file there are no servers.
 * @throws ConfigError with all faults of a file
 */
export function configuredGateway(options: ServeOptions, env: CliIo["env"]): GatewayConfig {
  const { config: file, servers: client } = options;
  const load = { env, overrides: options };
  const config =
    file === undefined ? parseConfig("{}", { ...load, file: "defaults" }) : loadConfig(file, load);
  const { settings, capability } = config;
  const foreign =
    client === undefined ? {} : loadServers(client, { ...load, settings, capability });
  return { ...config, ...foreign };
}

/**
 * Refuses a server that is disabled and could not run.
 * @throws ConfigError with what it lacks
 */
export function assertCanRun({ faults = [] }: ServerConfig): void {
  if (faults.length > 0) throw new ConfigError(faults);
}

/**
 * The one server of a name among those of the configuration.
 * @throws CliExit that lists the names there are
 */
export function namedServer(servers: readonly ServerConfig[], name: string): ServerConfig {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const known = servers.map((server) => server.name).join(", ") || "none";
  const message = `the configuration has no server named "${name}"; it has: ${known}`;
  throw new CliExit(EXIT_USAGE, message);
}
