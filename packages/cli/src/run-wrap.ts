import { createLogger } from "@touchstone/gateway/log";
import {
  defaultServerName,
  settingsFromOverrides,
  type WrapOptions,
  wrap,
} from "@touchstone/gateway/wrap";
import type { CheckingOptions } from "./common-options.ts";
import { resolveDataDir } from "./data-dir.ts";
import type { CliIo } from "./io.ts";
import { type ProcessIo, stopSignal } from "./process-io.ts";

type ConfiguredParts = Pick<WrapOptions, "settings" | "tools" | "limits" | "sync">;

/** What holds for the server: from the file's entry of that name, else its top level, else defaults. */
async function configured(
  name: string,
  options: CheckingOptions,
  env: CliIo["env"],
): Promise<ConfiguredParts> {
  if (options.config === undefined) return { settings: settingsFromOverrides(options) };
  const { loadConfig } = await import("@touchstone/gateway/config");
  const config = loadConfig(options.config, { env, overrides: options });
  const server = config.servers.find((candidate) => candidate.name === name);
  return {
    settings: server?.settings ?? config.settings,
    ...(server === undefined ? {} : { tools: server.tools }),
    limits: config.limits,
    sync: config.activity.sync,
  };
}

/** Serves one server on the process's streams until it or its client has left. */
export async function runWrap(
  command: string,
  args: readonly string[],
  options: CheckingOptions,
  io: ProcessIo,
): Promise<void> {
  const name = options.name ?? defaultServerName(command, args);
  const signal = stopSignal(io);
  const code = await wrap({
    ...(await configured(name, options, io.env)),
    name,
    command,
    args,
    dataDir: resolveDataDir(options, io.env),
    env: io.env,
    input: io.stdin,
    output: io.stdoutStream,
    stderr: (line) => io.stderr.write(`[${name}] ${line}\n`),
    log: createLogger((line) => io.stderr.write(line), options.logLevel),
    signal,
  });
  io.exit(code);
}
