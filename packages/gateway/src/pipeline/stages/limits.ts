import { responseFacts } from "../evidence.ts";
import { BUSY_REFUSAL, type ClientExchange, type Stage } from "../exchange.ts";
import { rejectedResponse, TOO_MANY_BYTES, TOO_MANY_REQUESTS, tooManyCalls } from "../messages.ts";
import type { PipelineState } from "../state.ts";

/** Requests that may be pending or wait for the tool list; beyond this the client must wait. */
const MAX_INFLIGHT = 10_000;

/** Returns whether the number of pending requests has reached the limit. */
export function hasMaxRequests({ inflight, waiting }: PipelineState): boolean {
  return inflight.size + waiting >= MAX_INFLIGHT;
}

/** Rejects requests and calls beyond the limits. */
export const limits: Stage<ClientExchange> = {
  name: "limits",
  run(exchange) {
    const over = overLimit(exchange);
    if (over === undefined) return "continue";
    const { reason, status } = over;
    const { state, frame, call, entries } = exchange;
    const { paced, server } = state.context;
    paced.warn(`${server}: a call over the limit`, `${server}: ${reason}`);
    const response = rejectedResponse(frame.id, reason);
    if (call) {
      const answered = { ...responseFacts(frame, response), reason };
      entries.push(state.evidence.toolCall(call, status, answered));
    }
    return { respond: response, refusal: BUSY_REFUSAL };
  },
};

interface OverLimit {
  readonly reason: string;
  /** `limited` if the limit is configured, `rejected` if the gateway has no capacity. */
  readonly status: "limited" | "rejected";
}

/** Returns why a message cannot be taken now. */
function overLimit({ state, frame, call, crowdedOut }: ClientExchange): OverLimit | undefined {
  if (call === undefined && frame.kind !== "request") return undefined;
  if (hasMaxRequests(state)) return { reason: TOO_MANY_REQUESTS, status: "rejected" };
  if (crowdedOut) return { reason: TOO_MANY_BYTES, status: "rejected" };
  const { slots } = state.context;
  if (call === undefined || slots === undefined || slots.taken < slots.limit) return undefined;
  return { reason: tooManyCalls(slots.limit), status: "limited" };
}
