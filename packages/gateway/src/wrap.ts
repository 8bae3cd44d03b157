import { constants } from "node:os";
import type { Frame } from "@touchstone/protocol/advanced";
import { parseUrl } from "@touchstone/util";
import type { ToolContract } from "./contracts/contract.ts";
import type { WrapOptions, WrapUrlOptions } from "./server/wrap-options.ts";
import { DEFAULT_LIMITS } from "./settings/sections.ts";
import { BufferedLinkEvents, type LinkEnd } from "./transport/link.ts";
import { ChildLink } from "./transport/stdio/child.ts";
import { inheritedEnvironment } from "./transport/stdio/child-environment.ts";

export { defaultServerName } from "@touchstone/util";
export { settingsFromOverrides } from "./config/overrides.ts";
export { pinFault } from "./features/pin/pin.ts";
export type { WrapOptions, WrapParts, WrapRules, WrapUrlOptions } from "./server/wrap-options.ts";

/** Exit status of a wrap whose command could not be started. */
export const EXIT_COULD_NOT_START = 3;

/**
 * Serves one MCP server on the given streams: starts the command, relays between it and the client, checks and
 * records every tool call. Resolves when both have left.
 * @returns the exit status: the command's own, 128 plus the signal's number if one ended it, 0 if it had to be
 *   stopped after its client left, 3 if it could not be started
 * @throws ActivityError if the records cannot be written
 */
export async function wrap(options: WrapOptions): Promise<number> {
  const { upstreamFrameBytes: maxFrameBytes } = { ...DEFAULT_LIMITS, ...options.limits };
  const events = new BufferedLinkEvents();
  const child = new ChildLink(
    {
      command: options.command,
      args: options.args,
      env: inheritedEnvironment(options.env),
      maxFrameBytes,
      stderr: options.stderr,
      leftBehind: (text) => options.log.warn(`${options.name}: ${text}`),
    },
    events,
  );
  // A client waits, so the server starts while the rest of this program loads.
  try {
    const { relayWrapped } = await import("./server/wrap-relay.ts");
    const end = await relayWrapped(options, {
      connect: (listener) => {
        // Runs after this call: the listener must know the child when it receives events of it.
        queueMicrotask(() => events.attach(listener));
        return child;
      },
    });
    return exitCode(end);
  } catch (error) {
    await child.close(0);
    throw error;
  }
}

/**
 * Serves a server that is reached over Streamable HTTP on the given streams, like {@link wrap}. Resolves when the
 * client has left.
 * @returns the exit status, 0
 * @throws ActivityError if the records cannot be written
 */
export async function wrapUrl(options: WrapUrlOptions): Promise<number> {
  const { url, headers, env, log } = options;
  const { upstreamFrameBytes: maxFrameBytes } = { ...DEFAULT_LIMITS, ...options.limits };
  const [{ relayWrapped }, { HttpLink }] = await Promise.all([
    import("./server/wrap-relay.ts"),
    import("./relay/http/upstream-link.ts"),
  ]);
  const end = await relayWrapped(options, {
    connect: (events, { contracts }) => {
      const upstream = { type: "http", url, headers } as const;
      const contractOf = ({ toolName, protocolVersion }: Frame): ToolContract | undefined =>
        toolName === undefined ? undefined : contracts(protocolVersion).get(toolName);
      return new HttpLink({ upstream, maxFrameBytes, env, contractOf, log }, events);
    },
    repeatsArguments: true,
    upstream: { type: "http", url, headers },
  });
  return exitCode(end);
}

function exitCode(end: LinkEnd): number {
  if (end.failedToStart) return EXIT_COULD_NOT_START;
  if (end.exitCode !== undefined) return end.exitCode;
  if (end.stopped) return 0;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return 128 + (signals[end.signal ?? ""] ?? 0);
}

/** Returns a default name for a server that is reached by URL: its host. */
export function defaultUrlName(url: string): string {
  return parseUrl(url)?.hostname ?? "server";
}
