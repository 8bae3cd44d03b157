import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isOnPath, lateImport, redactText, visible } from "@touchstone/util";
import { BridgeEndpoint } from "../relay/http/bridge/bridge-endpoint.ts";
import { StdioEndpoint } from "../relay/http/stdio-endpoint.ts";
import { type ServerLog, secretValues, withoutValues } from "../transport/server-log.ts";
import { type ChildOptions, describeSpawnError } from "../transport/stdio/child.ts";
import { serverEnvironment } from "../transport/stdio/child-environment.ts";
import type { ChildSlots } from "../transport/stdio/child-limits.ts";
import type { ChildEnd, UpstreamHealth } from "../transport/upstream-status.ts";
import type { MakeEndpoint } from "./served-servers.ts";

/** Its HTTP client takes long to load, and `touchstone wrap` never needs it. */
const httpEndpoint = lateImport(() => import("../relay/http/http-endpoint.ts"));

export interface ProcessParts {
  /** The gateway's own environment, which may name proxies; servers get the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the servers' stderr, line by line. */
  readonly stderr: (server: string, line: string) => void;
  /** When aborted, servers that are ending have only a short time left. */
  readonly hurry?: AbortSignal;
}

/** How many lines of stderr to show when a server ends, and how many characters of each. */
const LAST_LINES = 3;
const MAX_WORDS = 300;

/** Keeps the last lines that a server wrote to stderr, to show why it ended. */
class StderrTail {
  readonly #secrets: readonly string[];
  #lines: string[] = [];

  /** @param secrets the values to hide */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  take(line: string): void {
    if (line.trim() === "") return;
    this.#lines.push(line.slice(0, MAX_WORDS));
    if (this.#lines.length > LAST_LINES) this.#lines.shift();
  }

  /** Returns how a process ended, with its last lines if it failed by itself. */
  add(end: ChildEnd): ChildEnd {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0 || end.failedToStart || end.stopped) return end;
    const hidden = withoutValues(lines.join(" / "), this.#secrets);
    const words = visible(redactText(hidden).text, MAX_WORDS);
    return { ...end, reason: `${end.reason}; its last words on stderr: ${words}` };
  }
}

/**
 * Returns why a command cannot be started, without starting it, so that a missing program is known before the first
 * client comes. Windows searches for programs in other ways.
 */
function startFault({ command, cwd, env }: ChildOptions): string | undefined {
  if (process.platform === "win32") return undefined;
  const isThere = command.includes("/")
    ? existsSync(resolve(cwd ?? ".", command))
    : isOnPath(command, env["PATH"]);
  if (isThere && (cwd === undefined || existsSync(cwd))) return undefined;
  const missing = Object.assign(new Error("not found"), { code: "ENOENT" });
  return describeSpawnError(missing, { command, env, ...(cwd === undefined ? {} : { cwd }) });
}

/** Adds to a server's log how one of its processes ended. */
function noteEnd(
  log: ServerLog,
  { reason, exitCode, stopped, failedToStart }: ChildEnd,
  asked: boolean,
  pid?: number,
): void {
  if (failedToStart) log.note("error", reason);
  else if (asked) log.note("info", `stopped by the gateway: ${reason}`, pid);
  else log.note(stopped === true || exitCode === 0 ? "info" : "error", reason, pid);
}

/** Adds to a server's log whether its URL responds. */
function noteState(
  log: ServerLog,
  { state, error }: Pick<UpstreamHealth, "state" | "error">,
): void {
  if (state === "running") log.note("info", "connected: the server responds");
  else if (state === "failed") log.note("error", error ?? "the server failed");
}

/**
 * Makes the endpoint for a server's transport.
 * @param slots limits the child processes of all servers
 * @param logOf returns the log that people see of a server
 */
export function endpointMaker(
  { env, stderr, hurry }: ProcessParts,
  slots: ChildSlots,
  logOf: (server: string) => ServerLog,
): MakeEndpoint {
  return async ({ name, upstream }, runtime, limits) => {
    const log = logOf(name);
    if (upstream.type === "http") {
      log.hide(secretValues(Object.values(upstream.headers)));
      runtime.status.onChange((health) => noteState(log, health));
      const { HttpEndpoint } = await httpEndpoint();
      const { upstreamFrameBytes } = limits;
      const direct = new HttpEndpoint(runtime, upstream, upstreamFrameBytes, env);
      return new BridgeEndpoint(runtime, direct, upstreamFrameBytes);
    }
    if (upstream.type === "wrap")
      throw new Error(`${name} is wrapped by its client and not served`);
    const secrets = secretValues(Object.values(upstream.env));
    log.hide(secrets);
    const words = new StderrTail(secrets);
    const child: ChildOptions = {
      command: upstream.command,
      args: upstream.args,
      env: serverEnvironment(env, upstream.env),
      maxFrameBytes: limits.upstreamFrameBytes,
      stderr: (line, pid) => {
        words.take(line);
        log.add(line, pid);
        stderr(name, line);
      },
      watch: (pid) => {
        if (pid !== undefined) log.note("info", "started", pid);
        const { spoke, ended } = runtime.status.childStarted();
        return {
          spoke,
          ended: (end, asked) => {
            noteEnd(log, end, asked, pid);
            ended(asked ? end : words.add(end), asked);
          },
        };
      },
      leftBehind: (text) => {
        log.note("error", text);
        runtime.log.warn(`${name}: ${text}`);
      },
      slots,
      ...(hurry === undefined ? {} : { hurry }),
      ...(upstream.cwd === undefined ? {} : { cwd: upstream.cwd }),
    };
    const fault = startFault(child);
    if (fault !== undefined) {
      log.note("error", fault);
      runtime.status.unreachable(fault);
      runtime.log.error(`${name}: ${fault}`);
    }
    const direct = new StdioEndpoint(runtime, child, limits.sessions);
    return new BridgeEndpoint(runtime, direct, limits.upstreamFrameBytes);
  };
}
