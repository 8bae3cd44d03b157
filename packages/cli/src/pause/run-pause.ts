import { messageOf } from "@touchstone/core/advanced";
import { openPlace } from "@touchstone/gateway/activity";
import { didYouMean, loadConfig, writeFault } from "@touchstone/gateway/config";
import {
  type Pause,
  type PauseEnd,
  type Pauses,
  readPauses,
  writePauses,
} from "@touchstone/gateway/pause";
import { findConfig } from "../config-file/default-config.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import { userName } from "../io/user-name.ts";
import type { CommonOptions } from "../options/common-options.ts";
import { resolveDataDir } from "../options/data-dir.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { type NamedConfiguration, stillBlockingDuringPause } from "./still-blocking.ts";
import { pausesOf, pausesText } from "./text.ts";

export interface PauseOptions extends CommonOptions {
  /** In milliseconds; defaults to half an hour. */
  readonly for?: number;
  /** The reason, for the record. */
  readonly reason?: string;
  /** Whether policy and narrow are paused as well. */
  readonly policy?: boolean;
  readonly off?: boolean;
  readonly status?: boolean;
  readonly output: "pretty" | "json";
}

/** Half an hour is long enough to finish work, and short enough if the pause is forgotten. */
const DEFAULT_MS = 1_800_000;

/**
 * Pauses the checks of one server or all; with `--off` or `--status`, ends or prints the pauses instead.
 * @throws CliExit 2 for contradictory options; 3 if the pause cannot be written, or would have no effect
 */
export async function runPause(
  server: string | undefined,
  options: PauseOptions,
  io: CliIo,
): Promise<void> {
  const { off = false, status = false, for: length } = options;
  if ([off, status, length !== undefined].filter(Boolean).length > 1) {
    throw new CliExit(EXIT_USAGE, "--for, --off and --status exclude each other; give one of them");
  }
  if (options.policy === true && (off || status)) {
    throw new CliExit(EXIT_USAGE, "--policy is for a pause that begins");
  }
  if (status && options.reason !== undefined) {
    throw new CliExit(EXIT_USAGE, "--reason is for a pause that begins or ends");
  }
  if (off) {
    runResume(server, options, io);
    return;
  }
  if (status) {
    if (server !== undefined) throw new CliExit(EXIT_USAGE, "--status takes no server");
    const dataDir = resolveDataDir(options, io.env);
    print(readPausesWithWarning(dataDir, io), dataDir, options, io);
    return;
  }
  const dataDir = resolveDataDir(options, io.env);
  const since = io.now();
  const until = new Date(since.getTime() + (length ?? DEFAULT_MS));
  const { policy } = options;
  if (policy === true) requirePolicyRights(options, io);
  const pause: Pause = { since, until, ...(policy === true && { policy }), ...author(options) };
  const { all, servers } = readPausesWithWarning(dataDir, io);
  const wanted =
    server === undefined
      ? { all: pause, servers }
      : { all, servers: new Map([...servers, [server, pause] as const]) };
  written(dataDir, wanted);
  // Reads it back as a gateway does, so that it does not report a pause that gateways would ignore.
  const { fault, ...taken } = readPauses(dataDir, io.now());
  if (fault !== undefined) throw new CliExit(EXIT_FAILED, `nothing is paused: ${safeText(fault)}`);
  print(taken, dataDir, options, io);
  if (server !== undefined) io.stderr.write(await unknownName(server, dataDir));
}

/** Returns the user who runs the command, and the reason, for the record. */
function author({ reason }: PauseOptions): PauseEnd {
  const by = userName();
  return { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}

/** Returns the configuration file that is named or found; undefined if there is none. */
function configFile({ config }: PauseOptions, { env }: CliIo): string | undefined {
  return config ?? findConfig("project", env).file;
}

/**
 * A pause of the policy changes the policy, so it requires the right to write the policy's file. Gateways check this
 * right as well.
 * @throws CliExit 3
 */
function requirePolicyRights(options: PauseOptions, io: CliIo): void {
  const file = configFile(options, io);
  if (file === undefined) {
    const what =
      "--policy needs the configuration file that the policy is in; name it with --config";
    throw new CliExit(EXIT_FAILED, what);
  }
  const fault = writeFault(file);
  if (fault === undefined) return;
  throw new CliExit(
    EXIT_FAILED,
    `nothing is paused: --policy needs the right to write ${safeText(file)}, where the policy is (${fault})`,
  );
}

/**
 * Returns the configuration that is named or found, to list what still blocks; undefined if there is none, or it is
 * invalid.
 */
function knownConfiguration(options: PauseOptions, io: CliIo): NamedConfiguration | undefined {
  const file = configFile(options, io);
  if (file === undefined) return undefined;
  try {
    return { file, config: loadConfig(file, { env: io.env }) };
  } catch {
    return undefined;
  }
}

/** Returns a warning if the data directory has records but none of this server; otherwise an empty text. */
async function unknownName(server: string, dataDir: string): Promise<string> {
  const reader = await openPlace({ dataDir })
    .existing()
    .catch(() => undefined);
  if (reader === undefined) return "";
  try {
    const { total } = await reader.list({ server, limit: 1, offset: 0 });
    if (total > 0) return "";
    const { tools } = await reader.summary({});
    const names = [...new Set(tools.map(({ server: name }) => name ?? ""))].filter(Boolean);
    if (names.length === 0) return "";
    const said = `no server in the records is named "${server}"${didYouMean(server, names) || "."}`;
    return `touchstone: warning: ${safeText(said)} A server that gets this name later is paused, too.\n`;
  } catch {
    // The pause takes effect even if the records cannot be read.
    return "";
  } finally {
    await reader.close();
  }
}

/**
 * Ends the pause of one server or all.
 * @throws CliExit 2 if the server is only paused together with all others; 3 if the pause cannot be removed
 */
export function runResume(server: string | undefined, options: PauseOptions, io: CliIo): void {
  const dataDir = resolveDataDir(options, io.env);
  const { all, servers } = readPausesWithWarning(dataDir, io);
  if (server !== undefined && all !== undefined) {
    const text = "every server is paused; touchstone resume without a name ends that";
    throw new CliExit(EXIT_USAGE, text);
  }
  const left = new Map(server === undefined ? [] : servers);
  if (server !== undefined) left.delete(server);
  const isEnd = all !== undefined || left.size < servers.size;
  written(dataDir, { all: undefined, servers: left, ...(isEnd && { ended: author(options) }) });
  print({ all: undefined, servers: left }, dataDir, options, io);
}

/** Reads the current pauses. Reports on stderr why a file is ignored. */
export function readPausesWithWarning(dataDir: string, io: CliIo): Pauses {
  const { fault, ...pauses } = readPauses(dataDir, io.now());
  if (fault !== undefined) io.stderr.write(`touchstone: warning: ${safeText(fault)}\n`);
  return pauses;
}

function written(dataDir: string, pauses: Pauses): void {
  try {
    writePauses(dataDir, pauses);
  } catch (error) {
    const reason = messageOf(error);
    throw new CliExit(EXIT_FAILED, `the pause cannot be written: ${safeText(reason)}`);
  }
}

function print(pauses: Pauses, dataDir: string, options: PauseOptions, io: CliIo): void {
  if (options.output === "json") {
    io.stdout.write(terminalJson(pausesOf(pauses), "lines"));
    return;
  }
  const still = stillBlockingDuringPause(knownConfiguration(options, io));
  io.stdout.write(pausesText(pauses, dataDir, io.now(), still));
}
