import { messageOf } from "@touchstone/core";
import type { Overrides } from "@touchstone/gateway";
import {
  ConfigError,
  type GatewayConfig,
  type HttpUpstream,
  type ServerConfig,
  type StdioUpstream,
} from "@touchstone/gateway/config";
import { defaultServerName, defaultUrlName } from "@touchstone/gateway/wrap";
import { Command, CommanderError } from "commander";
import { configIn, type ReachableServer } from "../configured.ts";
import { findConfig } from "../default-config.ts";
import type { CliIo } from "../io.ts";
import type { WrapCommandOptions } from "../run-wrap.ts";
import { checkedUpstream, headersFrom } from "../upstream-options.ts";
import { addWrapOptions } from "../wrap.ts";
import { type WrapWords, wrapWords } from "./wrapped.ts";

/** How a server that `touchstone wrap` starts is checked. */
export type WrappedSettings = Pick<ServerConfig, "name" | "settings" | "tools"> & {
  readonly dataDir?: string;
};

/**
 * Returns the options of `touchstone wrap` on a command line.
 * @throws Error with what `wrap` refuses
 */
export function wrapOptionsOf({ args, verb }: WrapWords): WrapCommandOptions {
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
 * @throws Error with what `wrap` refuses, ConfigError with the faults of the file
 */
export function wrappedSettings(
  words: WrapWords,
  env: CliIo["env"],
  more: Overrides = {},
): WrappedSettings {
  const options = wrapOptionsOf(words);
  const { args, command } = words;
  const own = command === undefined ? [] : args.slice(command);
  const [program = "", ...rest] = own;
  const name =
    options.name ?? (options.url ? defaultUrlName(options.url) : defaultServerName(program, rest));
  const file = options.config ?? findConfig("user", env).file;
  const config: GatewayConfig = configIn(file, { env, overrides: { ...options, ...more } });
  const server = config.servers.find((each) => each.name === name);
  const { dataDir } = options;
  return {
    name,
    settings: server?.settings ?? config.settings,
    tools: server?.tools ?? new Map(),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}

/**
 * Returns a server of a client's file as `touchstone wrap` serves it: what the entry wraps, with the settings of that
 * wrap. Returns any other server unchanged.
 * @param more options that override those of the entry
 * @throws ConfigError with why `wrap` could not start
 */
export function behindWrap(
  server: ReachableServer,
  env: CliIo["env"],
  more: Overrides = {},
): ReachableServer {
  const { upstream } = server;
  if (upstream.type !== "stdio") return server;
  const words = wrapWords(upstream.command, upstream.args);
  if (words === undefined) return server;
  try {
    const { settings, tools } = wrappedSettings(words, env, more);
    return { ...server, settings, tools, upstream: upstreamOf(words, upstream, env) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new Error(`touchstone wrap cannot start: ${messageOf(error)}`);
  }
}

function upstreamOf(
  words: WrapWords,
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

/** Returns the modes as a phrase: `mode warn`, or each of them if they differ. */
export function modesText({ settings }: Pick<WrappedSettings, "settings">): string {
  const modes = Object.entries(DIRECTIONS).map(
    ([direction, word]) => [word, settings[direction as keyof typeof DIRECTIONS].mode] as const,
  );
  const [[, first] = ["", ""]] = modes;
  if (modes.every(([, mode]) => mode === first)) return `mode ${first}`;
  return modes.map(([word, mode]) => `${word} ${mode}`).join(", ");
}
