import { constants } from "node:os";
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import { SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { openActivityStore } from "./activity/sqlite/open.ts";
import type { GatewayConfig } from "./config/config.ts";
import { DEFAULT_LIMITS } from "./config/defaults.ts";
import type { Logger } from "./log.ts";
import type { ValidationSettings } from "./policy/settings.ts";
import { inheritedEnvironment } from "./relay/child-environment.ts";
import type { LinkEnd } from "./relay/link.ts";
import { relayStdio } from "./relay/stdio.ts";
import { ServerRuntime } from "./server-runtime.ts";

export { settingsFromOverrides } from "./config/overrides.ts";

export interface WrapOptions {
  /** The server's name in records. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly settings: ValidationSettings;
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
  readonly limits?: GatewayConfig["limits"];
  readonly dataDir: string;
  readonly sync?: "normal" | "full";
  /** The gateway's own environment; the server gets it without Touchstone's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Readable;
  readonly output: Writable;
  /** Takes the server's stderr, line by line. */
  readonly stderr: (line: string) => void;
  readonly log: Logger;
  /** Ends the server in an orderly way. */
  readonly signal: AbortSignal;
}

/** Exit status of a wrap whose command could not be started. */
export const COULD_NOT_START = 3;

/**
 * Serves one MCP server on the given streams: starts the command, relays between it and the client,
 * judges and records every tool call. Resolves when both have left.
 * @returns the exit status: the command's own, 128 and the signal's number where one ended it, 0
 *   where it had to be stopped after its client left, 3 where it could not be started
 * @throws ActivityError when the records cannot be written
 */
export async function wrap(options: WrapOptions): Promise<number> {
  const { name, log, limits = DEFAULT_LIMITS } = options;
  const activity = await openActivityStore({
    dataDir: options.dataDir,
    sync: options.sync ?? "normal",
  });
  try {
    await activity.append([
      { type: "system_start", source: "gateway", server: name, reason: "wrap" },
    ]);
    const { contracts } = activity;
    const runtime = new ServerRuntime(
      { name, settings: options.settings, tools: options.tools ?? new Map() },
      { activity, contracts, cache: new SchemaCache({ deadline: nodeDeadline }), log },
    );
    log.info(`${name}: checking ${describe(options.settings)}`, { records: options.dataDir });
    const end = await relayStdio({
      child: {
        command: options.command,
        args: options.args,
        env: inheritedEnvironment(options.env),
        maxFrameBytes: limits.upstreamFrameBytes,
        stderr: options.stderr,
      },
      input: options.input,
      output: options.output,
      maxRequestBytes: limits.requestBytes,
      pipeline: (ask) => runtime.pipeline(runtime.ownConversation(), ask),
      signal: options.signal,
    });
    const code = exitCode(end);
    if (code !== 0) {
      log.error(`${name}: ${end.failedToStart ? "" : "server "}${end.reason}`);
      const reason = `server ${end.reason}`;
      await activity.append([{ type: "server_change", source: "gateway", server: name, reason }]);
    }
    await activity.append([
      { type: "system_stop", source: "gateway", server: name, reason: "wrap" },
    ]);
    return code;
  } finally {
    await activity.close();
  }
}

function describe({ input, output, protocol }: ValidationSettings): string {
  return `input ${input.mode}, output ${output.mode}, protocol ${protocol.mode}`;
}

function exitCode(end: LinkEnd): number {
  if (end.failedToStart) return COULD_NOT_START;
  if (end.exitCode !== undefined) return end.exitCode;
  if (end.stopped) return 0;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return 128 + (signals[end.signal ?? ""] ?? 0);
}

/** Programs that run the one that is meant. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  "bun",
  "bunx",
  "deno",
  "node",
  "npx",
  "pnpm",
  "python",
  "python3",
  "uv",
  "uvx",
  "yarn",
]);
const SUBCOMMANDS: ReadonlySet<string> = new Set(["dlx", "exec", "run", "tool", "x"]);

/** File and folder names that say nothing of the server in them. */
const NAMELESS: ReadonlySet<string> = new Set([
  "bin",
  "build",
  "dist",
  "index",
  "main",
  "server",
  "src",
]);

/**
 * A name for a server that was not given one: the package or file that a launcher starts, else the
 * command, without directory, version and extension.
 */
export function defaultServerName(command: string, args: readonly string[]): string {
  const program = basename(command).replace(/\.(cmd|exe)$/i, "");
  const operands = args.filter((arg) => !arg.startsWith("-") && !SUBCOMMANDS.has(arg));
  const target = (LAUNCHERS.has(program) ? operands[0] : undefined) ?? program;
  const parts = target
    .replace(/(?<=.)@[^@/]*$/, "")
    .replace(/\.(mjs|cjs|js|ts|py)$/, "")
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== "." && part !== "..");
  return parts.findLast((part) => !NAMELESS.has(part)) ?? parts.at(-1) ?? "server";
}
