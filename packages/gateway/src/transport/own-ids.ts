import type { JsonRange } from "@touchstone/core";
import { type Edit, type Frame, spliceFrame } from "@touchstone/protocol";

/** Source texts of a client's own id and progress token. */
export interface ClientIds {
  readonly id: string;
  readonly progressToken: string | undefined;
}

/** What a request calls itself. */
export function clientIds(frame: Frame): ClientIds {
  const { progressToken } = frame.ranges;
  return { id: frame.id ?? "null", progressToken: progressToken && frame.text(progressToken) };
}

/** A request with another id, and the same as its progress token where it has one. */
export function withId(frame: Frame, own: string): Uint8Array {
  const { id, progressToken } = frame.ranges;
  const edits: Edit[] = [];
  if (id) edits.push({ range: id, text: own });
  if (progressToken) edits.push({ range: progressToken, text: own });
  return spliceFrame(frame.bytes, edits);
}

/**
 * A message about such a request with the client's own id and token in their places again.
 * @param id where the message's id stands
 * @param asString the server wrote the number that it was given as a string, and so would have this one
 */
export function withClientIds(
  frame: Frame,
  ids: ClientIds,
  id: JsonRange | undefined,
  asString = false,
): Uint8Array {
  const { progressToken, subscriptionId } = frame.ranges;
  const edits: Edit[] = [];
  const restore = (range: JsonRange | undefined, own: string): void => {
    const text = asString && !own.startsWith('"') ? `"${own}"` : own;
    if (range) edits.push({ range, text });
  };
  restore(id, ids.id);
  restore(progressToken, ids.progressToken ?? ids.id);
  restore(subscriptionId, ids.id);
  return spliceFrame(frame.bytes, edits);
}
