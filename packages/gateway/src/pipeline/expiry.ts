import { ERROR_CODES, errorFrame, notificationFrame } from "@touchstone/protocol";
import { nameInLog } from "./evidence.ts";
import { recordedElsewhere } from "./foreign-request.ts";
import type { Deadline, PendingRequest, ToolCall } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/**
 * Takes what a transport has to send when a call that went on to the server is not answered in time.
 * @param answer the error on the call's id, for the client
 * @param cancellation `notifications/cancelled` with the client's id, for a server that takes it
 */
export type TimedOut = (answer: Uint8Array, cancellation: Uint8Array) => void;

/** The deadline of a tool call's answer; undefined where none is configured. */
export function callDeadline(
  state: PipelineState,
  idKey: string,
  call: ToolCall,
  timedOut: TimedOut,
): Deadline | undefined {
  const { callTimeoutMs: milliseconds } = state.context;
  if (milliseconds === undefined) return undefined;
  const passed = (request: PendingRequest): void => {
    // What the server says of it later is no longer for the client.
    state.late.add(idKey, request);
    const reason = `the server did not answer within ${milliseconds / 1000} s (limits.call_timeout)`;
    const answer = recordExpiry(state, request, call, reason);
    call.expired = answer;
    void answer.then((error) => request.operation?.failed("timeout", error));
    // One that is still being recorded goes back from there, and never to the server.
    if (!call.sent) return;
    const params = `{"requestId":${request.id},"reason":"no answer in time"}`;
    const cancellation = notificationFrame("notifications/cancelled", params);
    void answer.then((error) => timedOut(error, cancellation));
  };
  return { milliseconds, passed };
}

/** Writes the record of a call that was given up. Gives the error for the client; never rejects. */
async function recordExpiry(
  state: PipelineState,
  request: PendingRequest,
  call: ToolCall,
  reason: string,
): Promise<Uint8Array> {
  const { context, evidence } = state;
  const kind = `${context.server}: a call that took too long`;
  context.paced.warn(kind, `${nameInLog(context.server, call.tool)}: ${reason}`);
  const answer = errorFrame(request.id, ERROR_CODES.internalError, `touchstone: ${reason}`);
  if (call.recorded) return answer;
  const elsewhere = recordedElsewhere(state, request);
  call.recorded = true;
  if (elsewhere !== undefined && (await elsewhere)) return answer;
  const entry = evidence.toolCall(call, "error", { bytes: answer.length, reason });
  call.arguments = undefined;
  return (await state.append([entry])) ? answer : state.unrecorded(request.id);
}
