import { answeredBy } from "../evidence.ts";
import { BUSY, type ClientExchange, type Stage } from "../exchange.ts";
import { rejected, TOO_MANY_BYTES, TOO_MANY_REQUESTS, tooManyCalls } from "../messages.ts";
import type { PipelineState } from "../state.ts";

/** Requests that may be pending or wait for the tool list; beyond this the client must wait. */
const MAX_INFLIGHT = 10_000;

/** Returns whether the number of pending requests has reached the limit. */
export function isFull({ inflight, waiting }: PipelineState): boolean {
  return inflight.size + waiting >= MAX_INFLIGHT;
}

/** Rejects requests and calls beyond the limits. */
export const limits: Stage<ClientExchange> = {
  name: "limits",
  run(exchange) {
    const reason = overLimit(exchange);
    if (reason === undefined) return "continue";
    const { state, frame, call, entries } = exchange;
    const { paced, server } = state.context;
    paced.warn(`${server}: a call over the limit`, `${server}: ${reason}`);
    const response = rejected(frame.id, reason);
    if (call) {
      const answered = { ...answeredBy(frame, response), reason };
      entries.push(state.evidence.toolCall(call, "rejected", answered));
    }
    return { respond: response, refusal: BUSY };
  },
};

/** Returns why a message cannot be taken now. */
function overLimit({ state, frame, call, crowdedOut }: ClientExchange): string | undefined {
  if (call === undefined && frame.kind !== "request") return undefined;
  if (isFull(state)) return TOO_MANY_REQUESTS;
  if (crowdedOut) return TOO_MANY_BYTES;
  const { slots } = state.context;
  if (call === undefined || slots === undefined || slots.taken < slots.limit) return undefined;
  return tooManyCalls(slots.limit);
}
