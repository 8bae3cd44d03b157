import type { HttpUpstream } from "@touchstone/gateway/config";
import type { ToolContract } from "@touchstone/gateway/contract";
import { HttpLink } from "@touchstone/gateway/http-link";
import { DISCOVER_MS, openEra } from "@touchstone/gateway/open-era";
import { type ClientInfo, discover, firstRequestTimeout, initialize } from "./handshake.ts";
import type { ConnectOptions, InitializedServer } from "./initialized-server.ts";
import { JsonRpcResponseError } from "./json-rpc-error.ts";
import { MAX_BYTES, ServerPeer } from "./peer.ts";
import { unreachableError } from "./reach-error.ts";

const NOTHING = (): void => {};
/** The link only logs faults of the server, which the command itself reports as findings. */
const SILENT = { debug: NOTHING, info: NOTHING, warn: NOTHING, error: NOTHING };

/**
 * Connects to a server behind a URL. If the server is slow to confirm the latest revision, also tries the handshake
 * of older revisions.
 * @param called returns the tool in the current call, which may declare headers for its arguments
 * @throws Error if it cannot be reached, or does not respond in time
 */
export async function openHttp(
  upstream: HttpUpstream,
  { client, env, stop, timeout }: ConnectOptions & { readonly client: ClientInfo },
  called: () => ToolContract | undefined,
): Promise<InitializedServer> {
  const begun: ServerPeer[] = [];
  const begin = (): ServerPeer => {
    const peer = new ServerPeer(
      (events) =>
        new HttpLink(
          { upstream, env, contractOf: called, maxFrameBytes: MAX_BYTES, log: SILENT },
          events,
        ),
      stop,
    );
    begun.push(peer);
    return peer;
  };

  const patience = firstRequestTimeout(timeout, DISCOVER_MS);
  // A server that has responded gets the whole timeout for its next response.
  let left = timeout - patience;
  /** Why the response to the first request could not be read; an old server may respond in any form. */
  let unread: unknown;
  const opening = {
    patience,
    async discover(signal: AbortSignal): Promise<InitializedServer | undefined> {
      const peer = begin();
      try {
        const introduction = await discover(peer, client, timeout, signal);
        if (introduction !== undefined) return { peer, introduction };
      } catch (error) {
        if (isUnreached(error) || signal.aborted) throw error;
        unread = error;
      }
      left = timeout;
      return undefined;
    },
    async initialize(signal: AbortSignal): Promise<InitializedServer> {
      const peer = begin();
      return { peer, introduction: await initialize(peer, client, left, signal) };
    },
  };

  let opened: InitializedServer | undefined;
  try {
    opened = await openEra(opening, stop);
    return opened;
  } catch (error) {
    // If a server supports only the latest revision, the fault is in the first response.
    throw unreachableError(
      error instanceof JsonRpcResponseError && unread !== undefined ? unread : error,
    );
  } finally {
    const others = begun.filter((peer) => peer !== opened?.peer);
    await Promise.allSettled(others.map((peer) => peer.close(0)));
  }
}

/** Returns whether there was no HTTP response at all: an older server may refuse the first request in any form. */
function isUnreached(error: unknown): boolean {
  const { cause, code } = error as { readonly cause?: unknown; readonly code?: unknown };
  if (code === "REQUEST_TIMEOUT") return true;
  return cause instanceof Error && cause.cause !== undefined;
}
