import { ApiError } from "./client.ts";
import { readEvents } from "./events.ts";

/** How a feed is doing. `lost`: the connection broke, and another is tried. */
export type FeedState = "connecting" | "live" | "lost";

export interface FeedParts {
  /** Connects; goes on behind the event with this id. */
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly onState: (state: FeedState) => void;
  /**
   * What comes from now on is told about. Where the feed did not go on behind an event, what happened
   * before now was not told about, and has to be read in another way.
   */
  readonly onOpen: (resumed: boolean) => void;
  readonly onData: (data: string) => void;
  /** Resolves after some milliseconds, or when the signal aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What the server may change by `retry`. */
const RETRY_MS = 2000;
/** Characters of one event; more are none of this API. */
const MAX_EVENT = 8 * 1024 * 1024;

/** Resolves after some milliseconds, or when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

/** Returns whether asking again would bring the same response. */
function isFinal(thrown: unknown): boolean {
  const { status = 0 } = thrown instanceof ApiError ? thrown : {};
  return status >= 400 && status < 500;
}

/**
 * Follows server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) over
 * `fetch`, which, unlike `EventSource`, can send an Authorization header. Connects again, behind the
 * last event, until the signal aborts.
 * @throws ApiError where the server refuses (4xx): it would do so again
 */
export async function follow(parts: FeedParts, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let retry = RETRY_MS;
  parts.onState("connecting");
  while (!signal.aborted) {
    try {
      const response = await parts.open(lastId, signal);
      await readEvents(response, {
        onFirst: () => {
          // The server begins to send once it knows from where on it reports events.
          parts.onOpen(lastId !== undefined);
          parts.onState("live");
        },
        onEvent: ({ id, data }) => {
          parts.onData(data);
          // Taken note of when it has been told about, so that none is left out.
          lastId = id ?? lastId;
        },
        onRetry: (milliseconds) => {
          retry = milliseconds;
        },
        maxEvent: MAX_EVENT,
      });
    } catch (thrown) {
      if (isFinal(thrown) && !signal.aborted) throw thrown;
    }
    if (signal.aborted) return;
    parts.onState("lost");
    await parts.pause(retry, signal);
  }
}
