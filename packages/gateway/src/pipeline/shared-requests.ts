import type { Frame } from "@touchstone/protocol/advanced";
import type { PendingRequest } from "./in-flight.ts";
import type { PipelineState } from "./state.ts";

/**
 * Announces pending requests to the other gateways before the client gets an event that lets it ask one of them for
 * the rest of the stream.
 */
export async function announceRequests(
  { context, conversation, inflight }: PipelineState,
  idKeys: readonly string[],
): Promise<void> {
  const { sharedRequests } = context;
  const { session } = conversation;
  if (sharedRequests === undefined || session === undefined) return;
  const waiting = new Map<string, PendingRequest>();
  for (const key of idKeys) {
    const pending = inflight.get(key);
    if (pending === undefined) continue;
    pending.announced = key;
    waiting.set(key, pending);
  }
  if (waiting.size > 0) await sharedRequests.announce(session, waiting);
}

/**
 * Returns the request that a response on a resumed stream answers. If no such request is known here, another gateway
 * may have forwarded it; if one is known, it may already have its response. Undefined if there is no need to ask.
 * Never rejects.
 */
export function resumedRequest(
  state: PipelineState,
  { id, idKey }: Frame,
  pending: PendingRequest | undefined,
): Promise<PendingRequest | undefined> | undefined {
  const { context, conversation } = state;
  if (pending !== undefined) {
    const { call } = pending;
    return isRecordedElsewhere(state, pending)?.then((written) => {
      if (written && call !== undefined) call.recorded = true;
      return pending;
    });
  }
  const { sharedRequests } = context;
  const { session } = conversation;
  if (sharedRequests === undefined || session === undefined) return undefined;
  if (id === undefined || idKey === undefined) return undefined;
  return sharedRequests.find(session, idKey, id);
}

/** Announces to the other gateways that a request they know was answered here. */
export function announceResponse(
  { context, conversation }: PipelineState,
  { announced }: PendingRequest,
): void {
  const { session } = conversation;
  if (announced === undefined || session === undefined) return;
  context.sharedRequests?.answered(session, announced);
}

/**
 * Returns whether another gateway has written the record of a call that is abandoned here. Undefined if no other
 * gateway knows it. Never rejects.
 */
export function isRecordedElsewhere(
  { context }: PipelineState,
  { announced, call }: PendingRequest,
): Promise<boolean> | undefined {
  if (announced === undefined || call === undefined || call.recorded) return undefined;
  return context.sharedRequests?.isRecorded(call.requestId);
}
