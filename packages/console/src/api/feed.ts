import { ApiError } from "./client.ts";
import { readEvents } from "./events.ts";

/** State of a feed. `lost`: the connection broke, and the feed tries to reconnect. */
export type FeedState = "connecting" | "live" | "lost";

export interface FeedParts {
  /** Connects, and continues after the event with this id. */
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly onState: (state: FeedState) => void;
  /**
   * Called when events are reported from now on. If the feed did not resume after an event, earlier ones were not
   * reported and have to be read another way.
   */
  readonly onOpen: (resumed: boolean) => void;
  readonly onData: (data: string) => void;
  /** Resolves after the given milliseconds, or when the signal aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Default delay; the server may change it with `retry`. */
const RETRY_MS = 2000;
/** Maximum characters per event; this API never sends more. */
const MAX_EVENT = 8 * 1024 * 1024;

/** Resolves after the given milliseconds, or when the signal aborts. */
export function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
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

/** Returns whether a retry would get the same response. */
function isFinal(thrown: unknown): boolean {
  const { status = 0 } = thrown instanceof ApiError ? thrown : {};
  return status >= 400 && status < 500;
}

/**
 * Follows server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) over `fetch`, which,
 * unlike `EventSource`, can send a header. Reconnects after the last event until the signal aborts.
 * @throws ApiError if the server refuses (4xx): it would refuse again
 */
export async function followEvents(parts: FeedParts, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let retry = RETRY_MS;
  parts.onState("connecting");
  while (!signal.aborted) {
    try {
      const response = await parts.open(lastId, signal);
      await readEvents(response, {
        onFirst: () => {
          // The server starts to send once it knows from which point it reports events.
          parts.onOpen(lastId !== undefined);
          parts.onState("live");
        },
        onEvent: ({ id, data }) => {
          parts.onData(data);
          // Remember the id only after the event is reported, so that none is skipped.
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
