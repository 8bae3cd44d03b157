import { once } from "node:events";
import { type GatewayConfig, ignoredKeyHint, parseConfig } from "@touchstone/gateway/config";
import { type Logger, logAbout } from "@touchstone/gateway/log";
import { type Gateway, type GatewayOptions, startGateway } from "@touchstone/gateway/serve";
import { type CommandLog, commandLog } from "./command-log.ts";
import type { ServeOptions } from "./common-options.ts";
import { ConfigChanges, logRefused } from "./config-changes.ts";
import {
  type ConfiguredGateway,
  configurationFiles,
  configuredGateway,
  namedServer,
} from "./configured.ts";
import { resolveDataDir } from "./data-dir.ts";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import { giveHeapRoom } from "./heap-room.ts";
import { LeftOutLog } from "./left-out.ts";
import { type ProcessIo, stopSignals } from "./process-io.ts";
import { counted } from "./terminal/counted.ts";

/** How long requests that are under way may take when the gateway is stopped, in milliseconds. */
const DRAIN_MS = 30_000;

/** Serves the configured servers until a signal comes; takes changes of its files as they are made. */
export async function runServe(options: ServeOptions, io: ProcessIo): Promise<void> {
  giveHeapRoom();
  const told = commandLog(options, io);
  await told.telling(() => serve(options, io, told));
}

async function serve(options: ServeOptions, io: ProcessIo, told: CommandLog): Promise<void> {
  const changes = new ConfigChanges(configurationFiles(options), (reason) => told.log.warn(reason));
  try {
    await serveUntilStopped(options, io, told, changes);
  } finally {
    changes.close();
  }
}

async function serveUntilStopped(
  options: ServeOptions,
  io: ProcessIo,
  told: CommandLog,
  changes: ConfigChanges,
): Promise<void> {
  const { log, stderr } = told;
  const config = configured(options, io);
  told.take(config.logging);
  const leftOut = new LeftOutLog(log);
  leftOut.tell(config.leftOut);
  tellIgnored(config, log);
  const { stop, hurry } = stopSignals(io);
  const dataDir = resolveDataDir(options, io.env);
  const gateway = await startGateway({
    config,
    dataDir,
    env: io.env,
    hurry,
    stderr,
    log,
    ...(options.capture === undefined ? {} : { capture: options.capture }),
    ...sourceOf(options, io),
  });
  changes.takeBy(() => reload({ gateway, options, io, told, leftOut }));
  tellUrls(gateway, log);
  tellNoServer(gateway, options, log);
  tellConsole(gateway, log);
  log.info(`ready`, { listen: `${gateway.host}:${gateway.port}`, records: gateway.records });
  if (!stop.aborted) await once(stop, "abort");
  changes.close();
  const { underWay } = gateway;
  const waits = "answered first, for 30 s at most; another signal ends it now";
  const requests = `${counted(underWay, "request")} under way ${underWay === 1 ? "is" : "are"}`;
  log.info(underWay === 0 ? "stopping" : `stopping: ${requests} ${waits}`);
  await gateway.close({ graceMs: DRAIN_MS, hurry });
}

function tellIgnored({ ignoredKeys }: GatewayConfig, log: Logger): void {
  if (ignoredKeys.length === 0) return;
  log.info(
    `keys of other clients were read over: ${ignoredKeys.map((key) => key + ignoredKeyHint(key)).join(", ")}`,
  );
}

function tellUrls({ urls }: Gateway, log: Logger): void {
  for (const [name, url] of urls) logAbout(log, name).info(`${name}: ${url}`);
}

/** Where the console is. Said once: a reload does not move it. */
function tellConsole({ url }: Gateway, log: Logger): void {
  log.info(`the console is at ${url}`);
}

/** Warns that nothing is served, and says how to change that. */
function tellNoServer({ urls }: Gateway, options: ServeOptions, log: Logger): void {
  if (urls.size > 0) return;
  const file = options.servers ?? options.config;
  log.warn(
    `no server is enabled: add one under "mcpServers" in ${file}, and it is served at once, without a restart`,
  );
}

interface Reloading {
  readonly gateway: Gateway;
  readonly options: ServeOptions;
  readonly io: ProcessIo;
  readonly told: CommandLog;
  readonly leftOut: LeftOutLog;
}

/** Takes what the files say now, or says why it is refused and goes on as before. */
function reload({ gateway, options, io, told, leftOut }: Reloading): void {
  const { log } = told;
  const refused = (error: unknown): void => logRefused(log, error);
  try {
    const config = configured(options, io);
    gateway.reload(config).then((changes) => {
      told.take(config.logging);
      leftOut.tell(config.leftOut);
      if (changes.length === 0) return;
      log.info(`the configuration has changed: ${changes.join("; ")}`);
      tellIgnored(config, log);
      tellUrls(gateway, log);
      tellNoServer(gateway, options, log);
    }, refused);
  } catch (error) {
    refused(error);
  }
}

/** The servers to serve: all that there are, or the one that was named. */
function configured(options: ServeOptions, io: ProcessIo): ConfiguredGateway {
  if (configurationFiles(options).length === 0) {
    throw new CliExit(
      EXIT_USAGE,
      "serve needs --config FILE or --servers FILE: they name the servers",
    );
  }
  return served(configuredGateway(options, io.env), options);
}

/** The file that settings are written to; none where the servers are those of a client's file. */
function sourceOf(options: ServeOptions, { env }: ProcessIo): Pick<GatewayOptions, "source"> {
  const { config: file, servers } = options;
  if (file === undefined || servers !== undefined) return {};
  const load = (text: string): GatewayConfig =>
    served({ ...parseConfig(text, { file, env, overrides: options }), leftOut: [] }, options);
  return { source: { file, load } };
}

function served(config: ConfiguredGateway, options: ServeOptions): ConfiguredGateway {
  const servers = options.name === undefined ? config.servers : [namedServer(config, options.name)];
  return { ...config, servers };
}
