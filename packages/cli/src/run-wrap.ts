import { createLogger } from "@touchstone/gateway/log";
import {
  defaultServerName,
  defaultUrlName,
  settingsFromOverrides,
  type WrapParts,
  wrap,
  wrapUrl,
} from "@touchstone/gateway/wrap";
import type { CheckingOptions } from "./common-options.ts";
import { resolveDataDir } from "./data-dir.ts";
import { CliExit, EXIT_USAGE } from "./exit.ts";
import type { CliIo } from "./io.ts";
import { type ProcessIo, stopSignal } from "./process-io.ts";
import { checkedUpstream, headersFrom } from "./upstream-options.ts";

type ConfiguredParts = Pick<
  WrapParts,
  "settings" | "tools" | "capability" | "limits" | "activity" | "telemetry"
>;

/** What holds for the server: from the file's entry of that name, else its top level, else defaults. */
async function configured(
  name: string,
  options: CheckingOptions,
  env: CliIo["env"],
): Promise<ConfiguredParts> {
  if (options.config === undefined) {
    return { settings: settingsFromOverrides(options), telemetry: { env } };
  }
  const { loadConfig } = await import("@touchstone/gateway/config");
  const config = loadConfig(options.config, { env, overrides: options });
  const server = config.servers.find((candidate) => candidate.name === name);
  return {
    settings: server?.settings ?? config.settings,
    capability: server?.capability ?? config.capability,
    ...(server === undefined ? {} : { tools: server.tools }),
    limits: config.limits,
    activity: config.activity,
    telemetry: { settings: config.telemetry, env },
  };
}

/** The options of `touchstone wrap`. */
export interface WrapCommandOptions extends CheckingOptions {
  readonly url?: string;
  /** `NAME=VALUE` each. */
  readonly header?: readonly string[];
  /** `NAME=VARIABLE` each. */
  readonly headerEnv?: readonly string[];
  /** A file that every frame is appended to. */
  readonly capture?: string;
}

/** What holds for one wrap, whatever the server is. */
async function parts(name: string, options: WrapCommandOptions, io: ProcessIo): Promise<WrapParts> {
  return {
    ...(await configured(name, options, io.env)),
    name,
    dataDir: resolveDataDir(options, io.env),
    input: io.stdin,
    output: io.stdoutStream,
    log: createLogger((line) => io.stderr.write(line), options.logLevel),
    signal: stopSignal(io),
    ...(options.capture === undefined ? {} : { capture: options.capture }),
  };
}

/** Serves one command on the process's streams until it or its client has left. */
async function wrapCommand(
  command: string,
  args: readonly string[],
  options: WrapCommandOptions,
  io: ProcessIo,
): Promise<number> {
  const name = options.name ?? defaultServerName(command, args);
  const stderr = (line: string): void => void io.stderr.write(`[${name}] ${line}\n`);
  return wrap({ ...(await parts(name, options, io)), command, args, env: io.env, stderr });
}

/**
 * Serves one server on the process's streams until it or its client has left.
 * @throws CliExit where it is not told which one, or how
 */
export async function runWrap(
  command: string | undefined,
  args: readonly string[],
  options: WrapCommandOptions,
  io: ProcessIo,
): Promise<void> {
  const { url, header = [], headerEnv = [] } = options;
  if ((command === undefined) === (url === undefined)) {
    const both = command !== undefined;
    const text = both ? "takes a command or --url, not both" : "needs a command or --url URL";
    throw new CliExit(EXIT_USAGE, `wrap ${text}`);
  }
  if (url === undefined && header.length + headerEnv.length > 0) {
    throw new CliExit(EXIT_USAGE, "--header goes with --url: a command has no headers");
  }
  if (command !== undefined) {
    io.exit(await wrapCommand(command, args, options, io));
  } else if (url !== undefined) {
    const upstream = checkedUpstream(url, [...header, ...headersFrom(headerEnv, io.env)]);
    const name = options.name ?? defaultUrlName(url);
    io.exit(await wrapUrl({ ...(await parts(name, options, io)), ...upstream }));
  }
}
