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
 * @param asString the server wrote the id that it was given as a string, and so would have this one
 */
export function withClientIds(
  frame: Frame,
  ids: ClientIds,
  id: JsonRange | undefined,
  asString = false,
): Uint8Array {
  const { progressToken, subscriptionId } = frame.ranges;
  const edits: Edit[] = [];
  if (id)
    edits.push({ range: id, text: asString && !ids.id.startsWith('"') ? `"${ids.id}"` : ids.id });
  if (progressToken) edits.push({ range: progressToken, text: ids.progressToken ?? ids.id });
  if (subscriptionId) edits.push({ range: subscriptionId, text: ids.id });
  return spliceFrame(frame.bytes, edits);
}
