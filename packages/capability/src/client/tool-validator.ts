import { SchemaCache, withoutThrowing } from "@touchstone/core/advanced";
import { hasCapability, type Level } from "../announcement.ts";
import { CapabilityError, shortMessageOf } from "../errors.ts";
import { type ArgumentLimits, readLimits } from "../schema-level.ts";
import type { ServerCallToCheck } from "./ask-server.ts";
import { type ToolValidation, uncheckedResult } from "./result.ts";
import { checkClient, type ValidationClient } from "./sdk-client.ts";
import { ServerSession, type SessionOptions } from "./session.ts";

/** Options of a {@link ToolValidator}. Every option has a default. */
export interface ToolValidatorOptions {
  /** How long a server may take to answer one request, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Called with one line for each server and reason why it is not asked, or cannot respond. */
  readonly logger?: { warn(message: string): void } | undefined;
  /** How many verdicts of one server to cache. Default 1000; 0 caches none. */
  readonly maxCached?: number | undefined;
  /** Limits of the arguments: by default 5,242,880 bytes of JSON and 64 levels. A tool without a schema has none. */
  readonly limits?: ArgumentLimits | undefined;
  /** A monotonic clock, in milliseconds. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options of one request. */
export interface ValidateOptions {
  /** How deep to check. Default: every level of the server. */
  readonly levels?: readonly Level[] | undefined;
  /** Overrides the validator's. */
  readonly timeoutMs?: number | undefined;
  /** Ends the request: the verdict is then the schema's alone. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to call the tool once if the call is valid, before it runs on a schedule, for example. Only tools that declare
   * `readOnlyHint: true` or `destructiveHint: false` are called. Default false.
   */
  readonly testRun?: boolean | undefined;
}

/** A call to validate. */
export interface ToolCallToValidate {
  /** `server:tool`; the tool's name follows the first colon. */
  readonly tool: string;
  readonly arguments: unknown;
}

const MAX_TIMEOUT = 2_147_000_000;

function whole(option: string, value: number | undefined, fallback: number, least: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least && value <= MAX_TIMEOUT) return value;
  const message = `${option} must be an integer from ${least} to ${MAX_TIMEOUT}`;
  throw new CapabilityError("invalid_option", message);
}

/** Returns the number of calls, as far as it can be determined: a proxy may be revoked. */
function countOf(calls: unknown): number {
  try {
    return Array.isArray(calls) ? calls.length : 0;
  } catch {
    return 0;
  }
}

/**
 * Validates tool calls before they are made: by the tool's input schema, and by the server itself if it announces
 * `experimental.toolValidation`. A call is not valid if either of them refuses it. Runs a tool only if `testRun` is
 * set, and never asks a server that does not announce validation.
 *
 * Verdicts are reused as long as the server allows (`caching`), until it reports that its tools (`tool_update`) or a
 * resource (`resource_change`) changed. Failures are never cached. On MCP 2026-07-28 servers send those notifications
 * to clients that listen (`subscriptions/listen`).
 */
export class ToolValidator {
  readonly #sessions: Map<string, ServerSession> = new Map();
  readonly #timeoutMs: number;
  readonly #options: SessionOptions;

  /**
   * @param servers connected MCP clients by the name of their server, in an object or a map
   * @throws CapabilityError
   */
  constructor(
    servers:
      | Readonly<Record<string, ValidationClient>>
      | ReadonlyMap<string, ValidationClient> = {},
    options: ToolValidatorOptions = {},
  ) {
    const { logger, now = () => performance.now() } = options;
    this.#timeoutMs = whole("timeoutMs", options.timeoutMs, 30_000, 1);
    this.#options = {
      schemas: new SchemaCache(),
      now,
      limits: readLimits(options.limits),
      maxCached: whole("maxCached", options.maxCached, 1000, 0),
      warn: withoutThrowing((message: string) => logger?.warn(message)),
    };
    const named = servers instanceof Map ? servers : Object.entries(servers);
    for (const [name, client] of named) this.add(name, client);
  }

  /**
   * Adds a server, replacing one of the same name.
   * @param name the part before the first colon in `server:tool`: not empty, and without a colon
   * @throws CapabilityError
   */
  add(name: string, client: ValidationClient): void {
    if (typeof name !== "string" || name === "" || name.includes(":")) {
      const message = "the name of a server must not be empty or contain a colon";
      throw new CapabilityError("invalid_option", message);
    }
    checkClient(client, name);
    this.#sessions.set(name, new ServerSession(name, client, this.#options));
  }

  /** Forgets a server. */
  remove(name: string): void {
    this.#sessions.delete(name);
  }

  /** Whether a server has a capability; see the function `hasCapability`. */
  hasCapability(server: string, path: string): boolean {
    return hasCapability(this.#sessions.get(server)?.capabilities, path);
  }

  /**
   * Drops the data that a notification makes stale. Notifications over an SDK client's transport are noticed
   * automatically; call this for clients without one.
   * @param method of the notification, such as `notifications/tools/list_changed`
   */
  notify(server: string, method: string): void {
    this.#sessions.get(server)?.notified(method);
  }

  /**
   * Validates one call. Never rejects.
   * @param tool `server:tool`
   * @param args the arguments of the call
   */
  async validateTool(
    tool: string,
    args: unknown,
    options: ValidateOptions = {},
  ): Promise<ToolValidation> {
    const [result] = await this.validateTools([{ tool, arguments: args }], options);
    return result ?? uncheckedResult("nothing was validated");
  }

  /**
   * Validates several calls, each server's in batches if it supports them. Returns a result for each, in order. Never
   * rejects.
   */
  async validateTools(
    calls: readonly ToolCallToValidate[],
    options: ValidateOptions = {},
  ): Promise<ToolValidation[]> {
    try {
      return await this.#validate(calls, options);
    } catch (thrown) {
      return Array.from({ length: countOf(calls) }, () => uncheckedResult(shortMessageOf(thrown)));
    }
  }

  async #validate(
    calls: readonly ToolCallToValidate[],
    options: ValidateOptions,
  ): Promise<ToolValidation[]> {
    const { levels, signal, testRun = false } = options;
    const timeoutMs = whole("timeoutMs", options.timeoutMs, this.#timeoutMs, 1);
    const results: (ToolValidation | undefined)[] = new Array(calls.length).fill(undefined);
    const byServer = new Map<ServerSession, { call: ServerCallToCheck; index: number }[]>();
    for (const [index, call] of calls.entries()) {
      try {
        const { tool: address, arguments: args } = call;
        const { session, tool } = this.#find(address);
        const own = byServer.get(session) ?? [];
        byServer.set(session, own);
        own.push({ index, call: { tool, address, arguments: args, levels } });
      } catch (thrown) {
        results[index] = uncheckedResult(shortMessageOf(thrown));
      }
    }
    await Promise.all(
      [...byServer].map(async ([session, own]) => {
        const validated = await session.validate(
          own.map(({ call }) => call),
          { timeoutMs, signal },
          testRun,
        );
        for (const [i, { index }] of own.entries()) results[index] = validated[i];
      }),
    );
    return results.map((result) => result ?? uncheckedResult("nothing was validated"));
  }

  /** @throws Error if there is no such server */
  #find(address: string): { session: ServerSession; tool: string } {
    const colon = typeof address === "string" ? address.indexOf(":") : -1;
    if (colon < 1 || colon === address.length - 1) {
      const shown = JSON.stringify(String(address).slice(0, 200));
      throw new Error(`Invalid tool format: ${shown}. Expected format: "server:tool"`);
    }
    const name = address.slice(0, colon);
    const session = this.#sessions.get(name);
    if (session === undefined) throw new Error(`Server not found: ${name}`);
    return { session, tool: address.slice(colon + 1) };
  }
}
