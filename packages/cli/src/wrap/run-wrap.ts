import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { GatewayConfig } from "@touchstone/gateway/config";
import { type Logger, serverLogger } from "@touchstone/gateway/log";
import {
  defaultServerName,
  defaultUrlName,
  pinFault,
  settingsFromOverrides,
  type WrapParts,
  type WrapRules,
  wrap,
  wrapUrl,
} from "@touchstone/gateway/wrap";
import { ConfigSource } from "../config-file/default-config.ts";
import { type CommandLog, commandLog } from "../gateway/command-log.ts";
import { raiseHeapGrowth } from "../gateway/heap-growth.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { type ProcessIo, stopSignal, warnWithoutInit } from "../io/process-io.ts";
import type { CheckingOptions } from "../options/common-options.ts";
import { resolveDataDir } from "../options/data-dir.ts";
import { checkedUpstream, headersFrom } from "../options/upstream-options.ts";
import type { LoginServer } from "../servers/login.ts";
import type { CliIo } from "../terminal/cli-io.ts";

type ConfiguredParts = Pick<
  WrapParts,
  "settings" | "tools" | "limits" | "activity" | "alerts" | "telemetry" | "changes" | "configFile"
>;

/**
 * Returns the settings for the server: from the entry of that name in the file of `--config` or the user's file, else
 * from that file's top level, else defaults. Never reads a file from the current directory, which depends on the
 * client.
 */
async function configured(
  name: string,
  options: CheckingOptions,
  env: CliIo["env"],
  told: CommandLog,
  stopped: AbortSignal,
): Promise<ConfiguredParts> {
  const log = serverLogger(told.log, name);
  const source = new ConfigSource(options.config, "user", { env, log });
  // Without a configuration there is nothing to read or watch.
  if (!source.watched.some((file) => existsSync(dirname(file)))) {
    return { settings: settingsFromOverrides(options), telemetry: { env } };
  }
  const [{ configIn }, { ConfigChanges }] = await Promise.all([
    import("../config-file/configured.ts"),
    import("../gateway/config-changes.ts"),
  ]);
  const changes = new ConfigChanges(source.watched, (reason) => log.warn(reason));
  stopped.addEventListener("abort", () => changes.close());
  const load = (): GatewayConfig => configIn(source.file(), { env, overrides: options });
  let config: GatewayConfig;
  try {
    config = load();
  } catch (error) {
    changes.close();
    throw error;
  }
  told.take(config.logging);
  const last = { config };
  return {
    configFile: source.file(),
    ...rulesFor(name, config),
    limits: config.limits,
    activity: config.activity,
    telemetry: { settings: config.telemetry, env },
    changes: (take) => {
      const following = (): GatewayConfig => changes.reading(load);
      const file = source.watched.join(", ");
      const taking = (rules: WrapRules) => take(rules, file);
      changes.takeBy(() => void reload({ name, last, load: following, take: taking, told, log }));
      changes.follow(config);
    },
  };
}

function rulesFor(name: string, config: GatewayConfig): WrapRules {
  const server = config.servers.find((candidate) => candidate.name === name);
  return {
    settings: server?.settings ?? config.settings,
    alerts: config.alerts,
    ...(server === undefined ? {} : { tools: server.tools }),
  };
}

interface Reloading {
  readonly name: string;
  /** The last configuration that was read. */
  readonly last: { config: GatewayConfig };
  readonly load: () => GatewayConfig;
  readonly take: (rules: WrapRules) => Promise<readonly string[]>;
  readonly told: CommandLog;
  readonly log: Logger;
}

/** Applies the current contents of the file; if they are invalid, logs why and keeps the old settings. */
async function reload({ name, last, load, take, told, log }: Reloading): Promise<void> {
  const [{ changedKeys }, { logRefusedConfig }] = await Promise.all([
    import("@touchstone/gateway/config"),
    import("../gateway/config-changes.ts"),
  ]);
  try {
    const config = load();
    const before = last.config;
    last.config = config;
    await take(rulesFor(name, config));
    told.take(config.logging);
    for (const key of changedKeys(before, config, AT_START)) {
      log.warn(`${key} has changed and takes effect after a restart`);
    }
  } catch (error) {
    logRefusedConfig(log, error);
  }
}

/** Settings that a wrap reads only when it starts. */
const AT_START = [
  "activity",
  "limits.request_bytes",
  "limits.upstream_frame_bytes",
  "limits.object_keys",
  "limits.message_keys",
  "limits.concurrent_calls",
  "limits.call_timeout",
  "telemetry.otlp",
  "telemetry.records",
];

/** How long stdout may remain unread after the server has ended or its client has disconnected, in milliseconds. */
const CLIENT_UNREAD_MS = 10_000;

/** The options of `touchstone wrap`. */
export interface WrapCommandOptions extends CheckingOptions {
  readonly url?: string;
  /** `NAME=VALUE` each. */
  readonly header?: readonly string[];
  /** `NAME=VARIABLE` each. */
  readonly headerEnv?: readonly string[];
  /** A file to append every frame to. */
  readonly capture?: string;
  readonly caller?: string;
}

/**
 * Returns the settings for one wrap that do not depend on the server.
 * @throws CliExit if tools should be pinned but no setting defines what is approved
 */
async function parts(
  name: string,
  options: WrapCommandOptions,
  io: ProcessIo,
  told: CommandLog,
): Promise<WrapParts> {
  const signal = stopSignal(io);
  const holds = await configured(name, options, io.env, told, signal);
  warnWithoutInit(told.log);
  const unpinned = pinFault(holds.settings);
  if (unpinned !== undefined) throw new CliExit(EXIT_USAGE, unpinned);
  return {
    ...holds,
    name,
    dataDir: resolveDataDir(options, io.env),
    input: io.stdin,
    output: io.stdoutStream,
    log: serverLogger(told.log, name),
    signal,
    ...(options.capture === undefined ? {} : { capture: options.capture }),
    caller: options.caller,
  };
}

/** Serves one command on the process's streams until the command ends or its client disconnects. */
async function wrapCommand(
  command: string,
  args: readonly string[],
  options: WrapCommandOptions,
  io: ProcessIo,
  told: CommandLog,
): Promise<number> {
  const name = options.name ?? defaultServerName(command, args);
  const stderr = (line: string): void => told.stderr(name, line);
  return wrap({ ...(await parts(name, options, io, told)), command, args, env: io.env, stderr });
}

/**
 * Serves one server on the process's streams until the server ends or its client disconnects.
 * @throws CliExit if neither a command nor a URL is given
 */
export async function runWrap(
  command: string | undefined,
  args: readonly string[],
  options: WrapCommandOptions,
  io: ProcessIo,
): Promise<void> {
  raiseHeapGrowth();
  sayWhatItWaitsFor(io);
  const told = commandLog(options, io);
  io.exit(await told.telling(() => wrapped(command, args, options, { io, told })));
  io.unreadFor?.(CLIENT_UNREAD_MS);
}

/** If stdin is a terminal, no client is connected, so this explains to the user why nothing happens. */
function sayWhatItWaitsFor({ stdin, stdout, stderr }: ProcessIo): void {
  if (stdout.isTTY !== true || (stdin as { readonly isTTY?: boolean }).isTTY !== true) return;
  stderr.write(
    "touchstone: waiting for an MCP client on stdin. Normally a client starts this: touchstone install puts it into " +
      "a client's file. To try a tool: touchstone call TOOL -- COMMAND. Ctrl+C ends it.\n",
  );
}

async function wrapped(
  command: string | undefined,
  args: readonly string[],
  options: WrapCommandOptions,
  { io, told }: { readonly io: ProcessIo; readonly told: CommandLog },
): Promise<number> {
  const { url, header = [], headerEnv = [] } = options;
  if (command !== undefined && url !== undefined) {
    throw new CliExit(EXIT_USAGE, "wrap takes a command or --url, not both");
  }
  if (url !== undefined) {
    const upstream = checkedUpstream(url, [...header, ...headersFrom(headerEnv, io.env)]);
    const name = options.name ?? defaultUrlName(url);
    const given = await parts(name, options, io, told);
    void adviseLogin({ name, ...upstream }, io.env, given.log);
    return wrapUrl({ ...given, ...upstream, env: io.env });
  }
  if (command === undefined) throw new CliExit(EXIT_USAGE, "wrap needs a command or --url URL");
  if (header.length + headerEnv.length > 0) {
    throw new CliExit(EXIT_USAGE, "--header goes with --url: a command has no headers");
  }
  return wrapCommand(command, args, options, io, told);
}

/**
 * Warns if the server requires an OAuth login, because the client only sees that its requests fail. Runs in the
 * background.
 */
async function adviseLogin(server: LoginServer, env: CliIo["env"], log: Logger): Promise<void> {
  const { loginAdvice } = await import("../servers/login.ts");
  const advice = await loginAdvice(server, env);
  if (advice !== undefined) log.warn(`${server.name}: ${advice}`);
}
