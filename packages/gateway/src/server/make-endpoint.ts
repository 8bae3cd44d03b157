import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { StdioEndpoint } from "../relay/http/stdio-endpoint.ts";
import { type ChildOptions, describeSpawnError } from "../transport/stdio/child.ts";
import { serverEnvironment } from "../transport/stdio/child-environment.ts";
import type { ChildSlots } from "../transport/stdio/child-limits.ts";
import type { ChildEnd } from "../transport/upstream-status.ts";
import { isOnPath } from "../util/command-on-path.ts";
import { REDACTED } from "../util/known-secrets.ts";
import { lateImport } from "../util/late-import.ts";
import { visible } from "../util/log.ts";
import { redactText } from "../util/secret-text.ts";
import type { MakeEndpoint } from "./served-servers.ts";

/** Its HTTP client takes long to load, and `touchstone wrap` never needs it. */
const httpEndpoint = lateImport(() => import("../relay/http/http-endpoint.ts"));

export interface ProcessParts {
  /** The gateway's own environment, which may name proxies; servers get the safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the servers' stderr, line by line. */
  readonly stderr: (server: string, line: string) => void;
  /** When aborted, servers that are ending have only a moment left. */
  readonly hurry?: AbortSignal;
}

/** How many lines of stderr to show of a server that ended, and how much of them. */
const LAST_LINES = 3;
const MAX_WORDS = 300;
/** Shorter values, such as `1` or `info`, are not secrets, and occur in many texts. */
const MIN_SECRET = 6;

/** Keeps the last lines that a server wrote to stderr, to show why it ended. */
class LastWords {
  readonly #secrets: readonly string[];
  #lines: string[] = [];

  /** @param values of the server's configured variables, which are not shown */
  constructor(values: readonly string[]) {
    this.#secrets = values.filter((value) => value.length >= MIN_SECRET);
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
    const hidden = this.#secrets.reduce(
      (text, secret) => text.replaceAll(secret, REDACTED),
      lines.join(" / "),
    );
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

/**
 * Makes the endpoint for a server's transport.
 * @param slots limits the child processes of all servers
 */
export function endpointMaker(
  { env, stderr, hurry }: ProcessParts,
  slots: ChildSlots,
): MakeEndpoint {
  return async ({ name, upstream }, runtime, limits) => {
    if (upstream.type === "http") {
      const { HttpEndpoint } = await httpEndpoint();
      return new HttpEndpoint(runtime, upstream, limits.upstreamFrameBytes, env);
    }
    if (upstream.type === "wrap")
      throw new Error(`${name} is wrapped by its client and not served`);
    const words = new LastWords(Object.values(upstream.env));
    const child: ChildOptions = {
      command: upstream.command,
      args: upstream.args,
      env: serverEnvironment(env, upstream.env),
      maxFrameBytes: limits.upstreamFrameBytes,
      stderr: (line) => {
        words.take(line);
        stderr(name, line);
      },
      watch: () => {
        const { spoke, ended } = runtime.status.childStarted();
        return { spoke, ended: (end, asked) => ended(asked ? end : words.add(end), asked) };
      },
      leftBehind: (text) => runtime.log.warn(`${name}: ${text}`),
      slots,
      ...(hurry === undefined ? {} : { hurry }),
      ...(upstream.cwd === undefined ? {} : { cwd: upstream.cwd }),
    };
    const fault = startFault(child);
    if (fault !== undefined) {
      runtime.status.unreachable(fault);
      runtime.log.error(`${name}: ${fault}`);
    }
    return new StdioEndpoint(runtime, child, limits.sessions);
  };
}
