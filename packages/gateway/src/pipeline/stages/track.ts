import type { Frame } from "@touchstone/protocol/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import { requestedCursor } from "../../contracts/tools-page.ts";
import { isDeclaredList } from "../declared-lists.ts";
import { toolOrServerName } from "../evidence.ts";
import type { ClientExchange, OnCallTimeout, Stage } from "../exchange.ts";
import {
  type Deadline,
  forwardedStatus,
  type PendingRequest,
  type ToolCall,
} from "../in-flight.ts";
import {
  callTimeout,
  failedRequestResponse,
  notRecorded,
  timedOutCancellation,
} from "../messages.ts";
import { isRecordedElsewhere } from "../shared-requests.ts";
import type { PipelineState } from "../state.ts";
import { TASK_RESULT_METHODS, unknownTaskCall } from "../tasks.ts";
import { clientMessageContext } from "./protocol.ts";
import { NEVER_BLOCKED } from "./session.ts";

/** Notes what a message means for the requests in flight: it is a request, or cancels one. */
export const track: Stage<ClientExchange> = {
  name: "track",
  run(exchange) {
    const { state, frame, call, entries } = exchange;
    if (call && frame.kind === "notification") {
      const status = forwardedStatus(call);
      const reason = "sent without an id, so no response will come";
      entries.push(state.evidence.toolCall(call, status, { reason }));
    }
    const { kind } = frame;
    const { method } = exchange;
    if (kind === "notification" || kind === "invalid") state.unmatched.notice = { method };
    exchange.undo = method === "notifications/cancelled" ? cancel(exchange) : begin(exchange);
    state.rules.note(frame, clientMessageContext(exchange));
    return "continue";
  },
};

const nothing = (): boolean => true;

/** Returns whether the gateway learns the lists that a method requests. */
const isLearned = (method: string): boolean =>
  method.endsWith("/list") && (method === "tools/list" || isDeclaredList(method));

/** Adds a request to those in flight. */
function begin(exchange: ClientExchange): () => boolean {
  const { state, frame, call, came, operation, revision, method = "" } = exchange;
  const { batches, inflight, late } = state;
  const { id, idKey, kind } = frame;
  if (kind !== "request" || idKey === undefined || id === undefined) return nothing;
  const { timedOut } = came;
  const pending: PendingRequest = {
    id,
    method,
    revision,
    cursor: isLearned(method) ? requestedCursor(frame) : undefined,
    client: method === "tools/list" ? state.conversation.client : undefined,
    call: call ?? (TASK_RESULT_METHODS.has(method) ? taskOf(state, frame) : undefined),
    deadline: call && timedOut ? callDeadline(state, idKey, call, timedOut) : undefined,
    operation,
    bridges: NEVER_BLOCKED.has(method) ? came.bridged?.pair : undefined,
    batch: batches.isUsed ? batches.of(frame) : undefined,
    mark: { after: state.unmatched.notice },
  };
  inflight.add(idKey, pending);
  return () => {
    if (inflight.remove(idKey, pending)) return true;
    // The request was canceled before it was sent: it needs no response, and none can arrive.
    late.remove(idKey, pending);
    return false;
  };
}

function taskOf(state: PipelineState, { taskId }: Frame): ToolCall {
  return state.tasks.get(taskId ?? "") ?? unknownTaskCall(state);
}

/** A canceled request may get no response, so its record is written now. */
function cancel({ state, frame, entries }: ClientExchange): () => boolean {
  const { context, evidence, inflight, late } = state;
  const key = frame.requestIdKey;
  const taken = key === undefined ? undefined : inflight.take(key);
  if (key === undefined || taken === undefined) return nothing;
  // A client cannot cancel `initialize`, because every conversation needs it.
  const pending: PendingRequest =
    taken.method === "initialize" ? taken : { ...taken, cancelled: true };
  late.add(key, pending);
  pending.operation?.failed("cancelled");
  const { call } = pending;
  const records = call !== undefined && !call.recorded;
  const given = call?.arguments;
  const isHeld = call !== undefined && context.heldArguments.has(call);
  if (records) evidence.endCall(call, "error", { reason: "canceled by the client" }, entries);
  return () => {
    // The server does not learn of the cancellation and will respond, so the request is pending again.
    if (!late.remove(key, pending)) return true;
    inflight.add(key, taken);
    if (records) {
      call.recorded = false;
      if (isHeld && given !== undefined) context.heldArguments.hold(call, given, 0, given.length);
      else call.arguments = given;
    }
    return true;
  };
}

/** Returns the deadline of a tool call's response; undefined if no timeout is configured. */
function callDeadline(
  state: PipelineState,
  idKey: string,
  call: ToolCall,
  timedOut: OnCallTimeout,
): Deadline | undefined {
  const { callTimeoutMs: milliseconds } = state.context;
  if (milliseconds === undefined) return undefined;
  const passed = (request: PendingRequest): void => {
    // Later responses are no longer for the client.
    state.late.add(idKey, request);
    const answer = recordExpiry(state, request, call, callTimeout(milliseconds));
    call.expired = answer;
    void answer.then((error) => request.operation?.failed("timeout", error));
    // The stage that writes the call's records returns the error, and the call never reaches the server.
    if (!call.sent) return;
    const cancellation = timedOutCancellation(request.id);
    void answer.then((error) => timedOut(error, cancellation));
  };
  return { milliseconds, passed };
}

/** Writes the record of a call that was abandoned. Returns the error for the client; never rejects. */
async function recordExpiry(
  state: PipelineState,
  request: PendingRequest,
  call: ToolCall,
  reason: string,
): Promise<Uint8Array> {
  const { context, evidence } = state;
  const kind = `${context.server}: a call that took too long`;
  context.paced.warn(kind, `${toolOrServerName(context.server, call.tool)}: ${reason}`);
  const answer = failedRequestResponse(request.id, reason);
  if (call.recorded) return answer;
  const elsewhere = isRecordedElsewhere(state, request);
  call.recorded = true;
  if (elsewhere !== undefined && (await elsewhere)) return answer;
  const entry = evidence.toolCall(call, "error", { bytes: answer.length, reason });
  call.arguments = undefined;
  return (await state.append([entry])) ? answer : notRecorded(request.id);
}

/**
 * Ends requests that will get no response: each call gets its record.
 * @param status of the calls: `rejected` if a limit keeps them from their server
 * @returns an error on the id of each, for the client
 */
export async function failRequests(
  state: PipelineState,
  requests: readonly PendingRequest[],
  reason: string,
  status: "error" | "rejected" = "error",
): Promise<Uint8Array[]> {
  const entries: ActivityEntry[] = [];
  const answers: Uint8Array[] = [];
  const unsure: Promise<void>[] = [];
  for (const request of requests) {
    const { id, call, operation } = request;
    const answer = failedRequestResponse(id, reason);
    operation?.failed("connection_lost", answer);
    answers.push(answer);
    if (call === undefined || call.recorded) continue;
    const elsewhere = isRecordedElsewhere(state, request);
    call.recorded = true;
    const entry = state.evidence.toolCall(call, status, { bytes: answer.length, reason });
    if (elsewhere === undefined) entries.push(entry);
    else unsure.push(elsewhere.then((written) => void (written || entries.push(entry))));
  }
  if (unsure.length > 0) await Promise.all(unsure);
  await state.append(entries);
  return answers;
}
