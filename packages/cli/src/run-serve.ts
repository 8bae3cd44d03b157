import { once } from "node:events";
import {
  type GatewayConfig,
  loadConfig,
  loadServers,
  parseConfig,
} from "@touchstone/gateway/config";
import { createLogger } from "@touchstone/gateway/log";
import { startGateway } from "@touchstone/gateway/serve";
import type { ServeOptions } from "./common-options.ts";
import { resolveDataDir } from "./data-dir.ts";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import { type ProcessIo, stopSignal } from "./process-io.ts";

/** Serves the configured servers until a signal comes. */
export async function runServe(options: ServeOptions, io: ProcessIo): Promise<void> {
  const log = createLogger((line) => io.stderr.write(line), options.logLevel);
  const config = configured(options, io);
  if (config.ignoredKeys.length > 0) {
    log.info(`keys of other clients were read over: ${config.ignoredKeys.join(", ")}`);
  }
  const stop = stopSignal(io);
  const dataDir = resolveDataDir(options, io.env);
  const gateway = await startGateway({
    config,
    dataDir,
    env: io.env,
    stderr: (server, line) => io.stderr.write(`[${server}] ${line}\n`),
    log,
  });
  for (const [name, url] of gateway.urls) log.info(`${name}: ${url}`);
  log.info(`ready`, { listen: `${gateway.host}:${gateway.port}`, records: dataDir });
  if (!stop.aborted) await once(stop, "abort");
  log.info("stopping");
  await gateway.close();
}

/** The configuration file, with the servers of a client's file in the place of its own. */
function configured(options: ServeOptions, io: ProcessIo): GatewayConfig {
  const { config: file, servers: client } = options;
  const load = { env: io.env, overrides: options };
  if (file === undefined && client === undefined) {
    throw new CliExit(
      EXIT_USAGE,
      "serve needs --config FILE or --servers FILE: they name the servers",
    );
  }
  const config =
    file === undefined ? parseConfig("{}", { ...load, file: "defaults" }) : loadConfig(file, load);
  const foreign =
    client === undefined ? {} : loadServers(client, { ...load, settings: config.settings });
  const merged = { ...config, ...foreign };
  const servers = named(merged.servers, options);
  if (servers.some((server) => !server.disabled)) return { ...merged, servers };
  throw new CliExit(
    EXIT_USAGE,
    `${client ?? file} names no server that is enabled under mcpServers`,
  );
}

function named<T extends { readonly name: string }>(
  servers: readonly T[],
  { name }: ServeOptions,
): readonly T[] {
  if (name === undefined) return servers;
  const found = servers.filter((server) => server.name === name);
  if (found.length > 0) return found;
  const known = servers.map((server) => server.name).join(", ");
  throw new CliExit(
    EXIT_USAGE,
    `the configuration has no server named "${name}"; it has: ${known}`,
  );
}
