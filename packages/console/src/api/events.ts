import { createParser } from "eventsource-parser";

export interface Reading {
  /** Called when the server starts to send. */
  readonly onFirst?: () => void;
  readonly onEvent: (event: {
    readonly id?: string | undefined;
    readonly event?: string | undefined;
    readonly data: string;
  }) => void;
  readonly onRetry?: (milliseconds: number) => void;
  /** Maximum characters per event; unlimited by default. */
  readonly maxEvent?: number;
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until the stream ends.
 */
export async function readEvents(
  response: Response,
  { onFirst, onEvent, onRetry, maxEvent }: Reading,
): Promise<void> {
  if (response.body === null) return;
  const parser = createParser({
    onEvent,
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(maxEvent === undefined ? {} : { maxBufferSize: maxEvent }),
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let isFirst = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (isFirst) onFirst?.();
      isFirst = false;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
