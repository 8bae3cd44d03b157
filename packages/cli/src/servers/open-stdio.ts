import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type StdioUpstream, tildeHint } from "@touchstone/gateway/config";
import { openEra } from "@touchstone/gateway/open-era";
import { ChildLink, inheritedEnvironment, serverEnvironment } from "@touchstone/gateway/transport";
import { safeText } from "../terminal/safe-text.ts";
import { type ClientInfo, discover, firstRequestTimeout, initialize } from "./handshake.ts";
import type { ConnectOptions, InitializedServer } from "./initialized-server.ts";
import { MAX_BYTES, ServerPeer } from "./peer.ts";
import { unreachableError } from "./reach-error.ts";
import { StderrBuffer } from "./stderr-buffer.ts";
import type { ServerTarget } from "./target.ts";

/** The result of asking a started server which era it supports. */
interface Asked {
  readonly opened: InitializedServer;
  /** Whether it confirmed the latest revision only after `initialize` had been sent as well. */
  readonly isLate: boolean;
}

/**
 * Starts a stdio server and connects to it. If the server exits at a request before `initialize`, as servers with old
 * SDKs do, starts it again and uses the old handshake; if it responds to that request too late, starts it again and
 * waits longer.
 * @throws Error if it cannot be started, or does not respond in time
 */
export async function openStdio(
  { upstream, isOwnCommand = false }: ServerTarget & { readonly upstream: StdioUpstream },
  options: ConnectOptions & { readonly client: ClientInfo },
): Promise<InitializedServer> {
  const { client, stderr, stop, timeout } = options;
  const { command, args, cwd } = upstream;
  const env = isOwnCommand
    ? inheritedEnvironment(options.env)
    : serverEnvironment(options.env, upstream.env);
  const start = (take: (line: string) => void): ServerPeer =>
    new ServerPeer(
      (events) =>
        new ChildLink(
          {
            ...{ command, args, env, maxFrameBytes: MAX_BYTES, stderr: take, hurry: stop },
            ...(cwd === undefined ? {} : { cwd }),
          },
          events,
        ),
      stop,
    );
  const write = (line: string): void => stderr(`${line}\n`);
  const held = new StderrBuffer(write);
  const first = start(held.take);
  let isLate = false;
  try {
    const asked = await ask(first, client, timeout, firstRequestTimeout(timeout), stop);
    if (!asked.isLate) {
      held.release();
      return asked.opened;
    }
    isLate = true;
    await first.close();
  } catch (error) {
    await first.close();
    if (!endedAtTheQuestion(error, first) || stop.aborted) {
      held.release();
      throw cwdError(upstream) ?? unreachableError(error, command);
    }
  }
  stop.throwIfAborted();
  held.drop();
  const again = start(write);
  try {
    if (isLate) {
      const patience = firstRequestTimeout(timeout, timeout);
      return (await ask(again, client, timeout, patience, stop)).opened;
    }
    return { peer: again, introduction: await initialize(again, client, timeout, stop) };
  } catch (error) {
    await again.close();
    throw unreachableError(error, command);
  }
}

/** For a server that never responds, `timeout` covers all requests together, not each one. */
async function ask(
  peer: ServerPeer,
  client: ClientInfo,
  timeout: number,
  patience: number,
  stop: AbortSignal,
): Promise<Asked> {
  let hasInitialized = false;
  let isLate = false;
  const opened = await openEra<InitializedServer>(
    {
      patience,
      async discover(signal) {
        const introduction = await discover(peer, client, timeout, signal);
        isLate = hasInitialized && introduction !== undefined;
        return introduction && { peer, introduction };
      },
      async initialize(signal) {
        hasInitialized = true;
        const left = peer.heard ? timeout : timeout - patience;
        const introduction = await initialize(peer, client, left, signal);
        // The response to the first request may have arrived in the same read, before the current response.
        await setImmediate();
        return { peer, introduction };
      },
    },
    stop,
  );
  return { opened, isLate: isLate && opened.introduction.by === "server/discover" };
}

/** Returns whether a stdio server exited at the first request, as servers do that only know `initialize`. */
function endedAtTheQuestion(error: unknown, { asked }: ServerPeer): boolean {
  return (
    asked === 1 && error instanceof Error && "code" in error && error.code === "CONNECTION_CLOSED"
  );
}

/** The system reports a missing directory and a missing command in the same way. */
function cwdError({ cwd }: StdioUpstream): Error | undefined {
  if (cwd === undefined) return undefined;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return new Error(
    `its "cwd" is not a directory: ${safeText(cwd)}; make it, or name another one${tildeHint(cwd)}`,
  );
}
