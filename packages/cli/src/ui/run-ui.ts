import { once } from "node:events";
import { type GatewayConfig, parseConfig } from "@touchstone/gateway/config";
import {
  consoleLink,
  findGateway,
  type GatewayOptions,
  startGateway,
} from "@touchstone/gateway/serve";
import { configIn } from "../config-file/configured.ts";
import { ConfigSource, configCandidates, isUserConfig } from "../config-file/default-config.ts";
import { type CommandLog, commandLog } from "../gateway/command-log.ts";
import { ConfigChanges, logRefusedConfig } from "../gateway/config-changes.ts";
import { openBrowser } from "../io/open-browser.ts";
import { type ProcessIo, stopSignals } from "../io/process-io.ts";
import type { CommonOptions } from "../options/common-options.ts";
import { resolveDataDir } from "../options/data-dir.ts";
import { typedCommand } from "../own-package.ts";
import { safeText } from "../terminal/safe-text.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** The options of `touchstone ui`. */
export interface UiOptions extends CommonOptions {
  readonly listen?: string;
  readonly open: boolean;
}

/** Default listen address: the system chooses the port. */
const FREE_PORT = "127.0.0.1:0";
const PAGE = "activity";

/**
 * Opens the console for a data directory until a signal arrives. Uses the gateway that runs on the directory, or else
 * starts one without servers.
 */
export async function runUi(options: UiOptions, io: ProcessIo): Promise<void> {
  const dataDir = resolveDataDir(options, io.env);
  const running = options.listen === undefined ? await findGateway(dataDir) : undefined;
  if (running !== undefined) {
    io.stdout.write(`A gateway runs on ${dataDir}.\n`);
    await show(running.url, consoleLink(running.url, PAGE, running.code), options, io);
    return;
  }
  const told = commandLog({ ...options, logLevel: options.logLevel ?? "warn" }, io);
  await told.telling(() => serve(dataDir, options, io, told));
}

async function serve(
  dataDir: string,
  options: UiOptions,
  io: ProcessIo,
  told: CommandLog,
): Promise<void> {
  const { env } = io;
  const { log, stderr } = told;
  const { stop, hurry } = stopSignals(io);
  const source = new ConfigSource(options.config, "user", { env, log });
  const overrides = { listen: options.listen ?? FREE_PORT };
  const read = (): GatewayConfig => withoutServers(configIn(source.file(), { env, overrides }));
  const changes = new ConfigChanges(source.watched, (reason) => log.warn(reason));
  try {
    const config = read();
    const file = source.file();
    const missing = file === undefined ? noFile(env) : undefined;
    const gateway = await startGateway({
      config,
      dataDir,
      env,
      hurry,
      stderr,
      log,
      ...editable(file, { env, overrides }),
      ...(missing !== undefined && { notEditable: missing }),
    });
    changes.takeBy(() => {
      try {
        const changed = changes.reading(read);
        gateway.reload(changed).catch((error: unknown) => logRefusedConfig(log, error));
      } catch (error) {
        logRefusedConfig(log, error);
      }
    });
    changes.follow(config);
    if (missing !== undefined) io.stdout.write(`${missing}\n\n`);
    io.stdout.write(`The console shows ${gateway.records}.\n`);
    await show(gateway.url, gateway.consoleLink(PAGE), options, io);
    io.stdout.write("Press Ctrl+C to stop it.\n");
    if (!stop.aborted) await once(stop, "abort");
    await gateway.close({ hurry });
  } finally {
    changes.close();
  }
}

/** Opens a browser, or prints a sign-in link. */
async function show(
  url: string,
  link: string,
  { open, dataDir }: UiOptions,
  { stdout, env }: ProcessIo,
): Promise<void> {
  if (open && stdout.isTTY === true && (await openBrowser(link, env))) {
    stdout.write(`\n  ${url}   (opened in your browser)\n\n`);
    return;
  }
  const where = dataDir === undefined ? "" : ` --data-dir ${shellWord(dataDir)}`;
  const again = `For another: ${typedCommand(env)} ui${where}`;
  stdout.write(`\n  ${link}\n\nThe link works once, for 60 seconds. ${again}\n`);
}

/** Returns the settings with every server marked as wrapped, so that viewing records starts no servers. */
function withoutServers(config: GatewayConfig): GatewayConfig {
  const servers = config.servers.map(({ faults: _, ...server }) => ({
    ...server,
    upstream: { type: "wrap" } as const,
    disabled: true,
  }));
  return { ...config, servers };
}

/** Returns the text if there is no configuration: its path, and the command that writes it. */
function noFile(env: ProcessIo["env"]): string {
  const [file] = configCandidates("user", env);
  const missing =
    file === undefined ? "There is no configuration" : `There is no ${safeText(file)}`;
  const command = typedCommand(env);
  return `${missing}, so the console shows records but cannot change settings. To write one with the servers of your clients, run ${command} init --user, then ${command} ui again.`;
}

/** Lets the console change the modes in the user's file. */
function editable(
  file: string | undefined,
  load: { readonly env: ProcessIo["env"]; readonly overrides: object },
): Pick<GatewayOptions, "source"> {
  if (file === undefined) return {};
  return {
    source: {
      file,
      load: (text) => withoutServers(parseConfig(text, { ...load, file })),
      wraps: isUserConfig(file, load.env),
    },
  };
}
