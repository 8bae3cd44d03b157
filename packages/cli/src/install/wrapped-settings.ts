import { messageOf } from "@touchstone/core/advanced";
import type { Overrides } from "@touchstone/gateway";
import {
  ConfigError,
  type GatewayConfig,
  type HttpUpstream,
  type ServerConfig,
  type StdioUpstream,
} from "@touchstone/gateway/config";
import { plural } from "@touchstone/util/plural";
import { Command, CommanderError } from "commander";
import { configIn, type ReachableServer } from "../config-file/configured.ts";
import { findConfig } from "../config-file/default-config.ts";
import { checkedUpstream, headersFrom } from "../options/upstream-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { addWrapOptions } from "../wrap/register.ts";
import type { WrapCommandOptions } from "../wrap/run-wrap.ts";
import { parseWrapArguments, type WrapArguments, wrapServerName } from "./wrapped.ts";

/** How a server that `touchstone wrap` starts is checked. */
export type WrappedSettings = Pick<ServerConfig, "name" | "settings" | "tools" | "preset"> & {
  readonly dataDir?: string;
};

/**
 * Returns the options of `touchstone wrap` on a command line.
 * @throws Error with the reason if `wrap` refuses the options
 */
export function wrapOptionsOf({ args, verb }: WrapArguments): WrapCommandOptions {
  const command = addWrapOptions(new Command("wrap"))
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  try {
    command.parse(args.slice(verb + 1), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new Error(error.message.replace(/^error: /, ""));
  }
  return command.opts<WrapCommandOptions>();
}

/**
 * Returns the settings that a `touchstone wrap` on a command line would use: its options, above the file of its
 * `--config` or the user's file.
 * @param more options that override its own
 * @throws Error with the reason if `wrap` refuses the options, ConfigError with the faults of the file
 */
export function wrappedSettings(
  words: WrapArguments,
  env: CliIo["env"],
  more: Overrides = {},
): WrappedSettings {
  const options = wrapOptionsOf(words);
  const name = wrapServerName(words);
  const file = options.config ?? findConfig("user", env).file;
  const config: GatewayConfig = configIn(file, { env, overrides: { ...options, ...more } });
  const server = config.servers.find((each) => each.name === name);
  const { dataDir } = options;
  const preset = server?.preset ?? config.preset;
  return {
    name,
    ...(preset === undefined ? {} : { preset }),
    settings: server?.settings ?? config.settings,
    tools: server?.tools ?? new Map(),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}

/**
 * Returns a server of a client's file as `touchstone wrap` serves it: the wrapped server, with the settings of that
 * wrap. Returns any other server unchanged.
 * @param more options that override those of the entry
 * @throws ConfigError with the reason if `wrap` could not start
 */
export function asWrapped(
  server: ReachableServer,
  env: CliIo["env"],
  more: Overrides = {},
): ReachableServer {
  const { upstream } = server;
  if (upstream.type !== "stdio") return server;
  const words = parseWrapArguments(upstream.command, upstream.args);
  if (words === undefined) return server;
  try {
    const { preset: _, ...rest } = server;
    const { name: __, dataDir: ___, ...wrapped } = wrappedSettings(words, env, more);
    return { ...rest, ...wrapped, upstream: upstreamOf(words, upstream, env) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new Error(`touchstone wrap cannot start: ${messageOf(error)}`);
  }
}

function upstreamOf(
  words: WrapArguments,
  upstream: StdioUpstream,
  env: CliIo["env"],
): StdioUpstream | HttpUpstream {
  const { url, header = [], headerEnv = [] } = wrapOptionsOf(words);
  const [command, ...args] = words.command === undefined ? [] : words.args.slice(words.command);
  if (url !== undefined) {
    const all = [...header, ...headersFrom(headerEnv, { ...env, ...upstream.env })];
    return { type: "http", ...checkedUpstream(url, all) };
  }
  if (command === undefined) throw new Error("it names no command and no --url");
  return { ...upstream, command, args };
}

const DIRECTIONS = { input: "arguments", output: "results", protocol: "protocol" } as const;

/** How many tools to name. */
const MAX_TOOLS = 5;

/**
 * Returns a phrase for each tool whose modes differ from those of its server; the last one counts those after the
 * first five.
 */
export function toolModesText({ settings, tools }: WrappedSettings): readonly string[] {
  const modes = modesText({ settings });
  const others = [...tools]
    .map(([tool, its]) => [tool, modesText({ settings: its })] as const)
    .filter(([, its]) => its !== modes);
  const more = others.length - MAX_TOOLS;
  return [
    ...others.slice(0, MAX_TOOLS).map(([tool, its]) => `tool ${tool}: ${its}`),
    ...(more > 0 ? [`${plural(more, "more tool")} with other modes`] : []),
  ];
}

/** Returns the modes as a phrase: `mode warn`, or each of them if they differ. */
export function modesText({ settings }: Pick<WrappedSettings, "settings">): string {
  const modes = Object.entries(DIRECTIONS).map(
    ([direction, word]) => [word, settings[direction as keyof typeof DIRECTIONS].mode] as const,
  );
  const [[, first] = ["", ""]] = modes;
  if (modes.every(([, mode]) => mode === first)) return `mode ${first}`;
  return modes.map(([word, mode]) => `${word} ${mode}`).join(", ");
}
