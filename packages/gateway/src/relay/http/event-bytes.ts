import type { Frame } from "@touchstone/protocol";
import { hasOddBreaks } from "../odd-breaks.ts";
import { type SseEvent, sseEvent, sseMark } from "../sse.ts";

/**
 * The event as it came wherever its message passed and nothing else in it could be read as one; else one
 * with the same id in its place.
 */
export function eventBytes(
  event: SseEvent,
  frame: Frame,
  onward: Uint8Array | undefined,
): Uint8Array {
  if (onward === frame.bytes && !hasOddBreaks(event.raw, event.data)) return event.raw;
  return onward === undefined ? markOf(event) : sseEvent(onward, plainId(event));
}

/** What is left of an event whose message does not go on. */
export function markOf(event: SseEvent): Uint8Array {
  const id = plainId(event);
  return id === undefined ? new Uint8Array(0) : sseMark(id);
}

function plainId({ id }: SseEvent): string | undefined {
  return id === undefined || hasOddBreaks(Buffer.from(id)) ? undefined : id;
}
