import { once } from "node:events";
import {
  type GatewayConfig,
  ignoredKeyHint,
  KEPT_BY_DEFAULT,
  parseConfig,
} from "@touchstone/gateway/config";
import { TouchstoneError } from "@touchstone/gateway/errors";
import { type Logger, serverLogger } from "@touchstone/gateway/log";
import {
  type Gateway,
  type GatewayOptions,
  installationChanged,
  type ReachResult,
  startGateway,
} from "@touchstone/gateway/serve";
import { plural } from "@touchstone/util/plural";
import {
  type ConfiguredGateway,
  configurationFiles,
  configuredGateway,
  namedServer,
} from "../config-file/configured.ts";
import { ConfigSource, isUserConfig } from "../config-file/default-config.ts";
import { SkippedServersLog } from "../config-file/skipped-servers.ts";
import { type CommandLog, commandLog, errorCodeField } from "../gateway/command-log.ts";
import { ConfigChanges, logRefusedConfig } from "../gateway/config-changes.ts";
import { raiseHeapGrowth } from "../gateway/heap-growth.ts";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import { type ProcessIo, stopSignals, warnWithoutInit } from "../io/process-io.ts";
import { shortKeyText } from "../key/short-key.ts";
import type { ServeOptions } from "../options/common-options.ts";
import { resolveDataDir } from "../options/data-dir.ts";
import { typedCommand } from "../own-package.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { serverTable } from "./serve-table.ts";

/** How long requests in progress may continue when the gateway is stopped, in milliseconds. */
const DRAIN_MS = 30_000;

/** Serves the configured servers until a signal arrives. Applies changes of its files as they are made. */
export async function runServe(options: ServeOptions, io: ProcessIo): Promise<void> {
  raiseHeapGrowth();
  const told = commandLog(options, io);
  await told.telling(() => serve(options, io, told));
}

async function serve(options: ServeOptions, io: ProcessIo, told: CommandLog): Promise<void> {
  const source = servedSource(options, io, told.log);
  const changes = new ConfigChanges(source.watched, (reason) => told.log.warn(reason));
  try {
    await serveUntilStopped(options, io, told, { source, changes });
  } finally {
    changes.close();
  }
}

async function serveUntilStopped(
  options: ServeOptions,
  io: ProcessIo,
  told: CommandLog,
  { source, changes }: { readonly source: ServedSource; readonly changes: ConfigChanges },
): Promise<void> {
  const { log, stderr } = told;
  const config = source.read();
  told.take(config.logging);
  const leftOut = new SkippedServersLog(log);
  leftOut.tell(config.leftOut);
  tellIgnored(config, log);
  tellShortKeys(config, log);
  warnWithoutInit(log);
  const { stop, hurry } = stopSignals(io, installationChanged);
  const dataDir = resolveDataDir(options, io.env);
  const gateway = await startGateway({
    config,
    dataDir,
    env: io.env,
    hurry,
    stderr,
    log,
    ...(options.capture === undefined ? {} : { capture: options.capture }),
    ...source.editable(),
  });
  changes.takeBy(() => reload({ gateway, source, told, leftOut, stop, changes }));
  changes.follow(config);
  tellUrls(gateway, log);
  tellWrapped(config, log);
  tellNoServer(gateway, source, log);
  tellConsole(gateway, options, io, log);
  if (config.activity.bodies === "failed") log.info(KEPT_BY_DEFAULT);
  log.info(`ready`, { listen: `${gateway.host}:${gateway.port}`, records: gateway.records });
  void tellServers(gateway, told, stop);
  void gateway.loadRest();
  if (!stop.aborted) await once(stop, "abort");
  changes.close();
  const { reason } = stop;
  if (reason instanceof TouchstoneError) log.error(reason.message, errorCodeField(reason));
  const { underWay } = gateway;
  const waits = "finished first, for 30 s at most; another signal ends it now";
  const requests = `${plural(underWay, "request")} under way ${underWay === 1 ? "is" : "are"}`;
  log.info(underWay === 0 ? "stopping" : `stopping: ${requests} ${waits}`);
  await gateway.close({ graceMs: DRAIN_MS, hurry });
  // A supervisor should restart the process.
  if (reason instanceof TouchstoneError) throw new CliExit(EXIT_FAILED);
}

function tellIgnored({ ignoredKeys }: GatewayConfig, log: Logger): void {
  if (ignoredKeys.length === 0) return;
  log.info(
    `keys of other clients are ignored: ${ignoredKeys.map((key) => key + ignoredKeyHint(key)).join(", ")}`,
  );
}

/** Warns about keys that can be guessed. Such keys are refused beyond loopback. */
function tellShortKeys({ shortKeys = [] }: GatewayConfig, log: Logger): void {
  for (const key of shortKeys) log.warn(shortKeyText(key));
}

function tellUrls({ urls }: Gateway, log: Logger): void {
  for (const [name, url] of urls) serverLogger(log, name).info(`${name}: ${url}`);
}

/**
 * Connects to the servers that were not reached yet, and reports the results: as a table for people, or one line
 * each.
 */
async function tellServers(gateway: Gateway, told: CommandLog, stop: AbortSignal): Promise<void> {
  const servers = await gateway.reach();
  if (stop.aborted || servers.length === 0) return;
  if (!told.table((look) => serverTable(servers, look))) {
    for (const server of servers) tellServer(server, told.log);
  }
  for (const { later } of servers) {
    void later?.then((server) => {
      if (!stop.aborted && server !== undefined) tellServer(server, told.log);
    });
  }
}

function tellServer(reached: ReachResult, log: Logger): void {
  const { server, outcome, reason, revision, bridge, tools, unusable } = reached;
  const about = serverLogger(log, server);
  if (outcome === "failed") about.warn(`${server}: does not work: ${reason}`);
  else if (outcome === "late") about.warn(`${server}: has not responded yet`);
  else about.info(`${server}: works`, { revision, bridge, tools, ...unusable });
}

/** Logs the address of the console, and how to sign in. Logged once, because a reload does not change it. */
function tellConsole(
  { url }: Gateway,
  { dataDir }: ServeOptions,
  { env }: ProcessIo,
  log: Logger,
): void {
  const where = dataDir === undefined ? "" : ` --data-dir ${shellWord(dataDir)}`;
  log.info(`the console is at ${url}`);
  log.info(`Open the console with: ${typedCommand(env)} ui${where}`);
}

/** Lists the entries that hold the settings of wrapped servers, which are not started here. */
function tellWrapped({ servers }: GatewayConfig, log: Logger): void {
  for (const { name, upstream } of servers) {
    if (upstream.type !== "wrap") continue;
    serverLogger(log, name).info(
      `${name}: settings for touchstone wrap --name ${name}; not started`,
    );
  }
}

/** Warns that nothing is served, and explains how to change that. */
function tellNoServer({ urls }: Gateway, { watched }: ServedSource, log: Logger): void {
  if (urls.size > 0) return;
  log.warn(
    `no server is enabled: add one under "mcpServers" in ${watched.join(" or ")}, and it is served at once, without a restart`,
  );
}

interface Reloading {
  readonly gateway: Gateway;
  readonly source: ServedSource;
  readonly told: CommandLog;
  readonly leftOut: SkippedServersLog;
  readonly stop: AbortSignal;
  readonly changes: ConfigChanges;
}

/** Applies the current contents of the files; if they are invalid, logs why and keeps the old configuration. */
function reload({ gateway, source, told, leftOut, stop, changes: watched }: Reloading): void {
  const { log } = told;
  const refused = (error: unknown): void => logRefusedConfig(log, error);
  try {
    const config = watched.reading(() => source.read());
    gateway.reload(config, source.watched.join(", ")).then((changes) => {
      told.take(config.logging);
      leftOut.tell(config.leftOut);
      if (changes.length === 0) return;
      tellIgnored(config, log);
      tellShortKeys(config, log);
      tellUrls(gateway, log);
      tellNoServer(gateway, source, log);
      void tellServers(gateway, told, stop);
    }, refused);
  } catch (error) {
    refused(error);
  }
}

/** The servers to serve, from the files that were named or found. */
interface ServedSource {
  /** The files to watch for changes. */
  readonly watched: readonly string[];
  /** Reads their current contents. @throws ConfigError with all faults */
  read(): ConfiguredGateway;
  /** The file to write settings to; absent if the servers come from a client's file, or there is no file. */
  editable(): Pick<GatewayOptions, "source">;
}

function servedSource(options: ServeOptions, { env }: ProcessIo, log: Logger): ServedSource {
  const named = configurationFiles(options);
  const found = named.length > 0 ? undefined : new ConfigSource(undefined, "project", { env, log });
  const current = (): ServeOptions => {
    const file = found?.file();
    return file === undefined ? options : { ...options, config: file };
  };
  // An alert runs a command or sends records to another machine, so it is only accepted in the user's own file.
  const own = (config: ConfiguredGateway): ConfiguredGateway => {
    if (found?.isOfDirectory !== true || (config.alerts ?? []).length === 0) return config;
    log.warn(
      "alerts are ignored: they are read only from your own file, or the one that --config names",
    );
    return { ...config, alerts: [] };
  };
  return {
    watched: found?.watched ?? named,
    read: () => own(served(configuredGateway(current(), env), options)),
    editable() {
      const { config: file, servers } = current();
      if (file === undefined || servers !== undefined) return {};
      const load = (text: string): GatewayConfig =>
        own(
          served({ ...parseConfig(text, { file, env, overrides: options }), leftOut: [] }, options),
        );
      return { source: { file, load, wraps: isUserConfig(file, env) } };
    },
  };
}

function served(config: ConfiguredGateway, options: ServeOptions): ConfiguredGateway {
  const servers = options.name === undefined ? config.servers : [namedServer(config, options.name)];
  return { ...config, servers };
}
