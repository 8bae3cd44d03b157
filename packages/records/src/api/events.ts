import type { ActivityScope } from "../filter.ts";
import { followActivity } from "../follow.ts";
import { isInScope } from "../scope.ts";
import type { ActivityReader } from "../store.ts";

export interface EventOptions {
  /** How often to query the store while nothing is new, in milliseconds (250). */
  readonly pollMs?: number;
  /** How long a silent connection waits for a comment that keeps it open (15 000). */
  readonly heartbeatMs?: number;
}

interface Following extends EventOptions {
  readonly lastEventId: string | undefined;
  /** Ends the stream, as does the end of its reader. */
  readonly signal: AbortSignal | undefined;
}

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects, in milliseconds. */
const RETRY_MS = 2000;

/**
 * Returns new records as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): event
 * `activity`, the record as data, its position in the order of commits as id. With `lastEventId` it continues after
 * that position, so that a client that was away misses none; without, it starts at the end.
 */
export function eventStream(
  reader: ActivityReader,
  scope: ActivityScope,
  { lastEventId: position, signal: left, pollMs, heartbeatMs = HEARTBEAT_MS }: Following,
): Response {
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const signal = left === undefined ? stop.signal : AbortSignal.any([stop.signal, left]);
  const steps = followActivity(reader, { position, signal, pollMs });
  let silentSince = performance.now();
  let started = false;
  let told = position;

  async function next(): Promise<string | undefined> {
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return undefined;
      const { records, positions, position: end } = step.value;
      const events = records.flatMap((record, at) => {
        if (!isInScope(record, scope)) return [];
        told = positions[at] ?? end;
        return [`id: ${told}\nevent: activity\ndata: ${JSON.stringify(record)}\n\n`];
      });
      const silent = performance.now() - silentSince;
      if (events.length === 0 && started && silent < heartbeatMs) continue;
      const begins = started ? "" : `retry: ${RETRY_MS}\n\n`;
      // An event with an id but without data, so that a client learns its position even without new events.
      const place = told === end ? "" : `id: ${end}\n\n`;
      const alive = events.length === 0 ? ": nothing new\n\n" : "";
      started = true;
      silentSince = performance.now();
      told = end;
      return `${begins}${events.join("")}${alive}${place}`;
    }
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = await next();
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel: () => stop.abort(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
