import type { Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import { requestedCursor } from "../contracts/tools-page.ts";
import { callDeadline, type TimedOut } from "./expiry.ts";
import { ABOUT_TASKS, unseenCall } from "./foreign-task.ts";
import type { PendingRequest, ToolCall } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/** Takes back what was noted of a frame. False where its request has ended meanwhile. */
export type Undo = () => boolean;

/** Notes what a client's frame means for the requests under way. */
export class Tracker {
  readonly #state: PipelineState;

  constructor(state: PipelineState) {
    this.#state = state;
  }

  /**
   * @param entries takes the record of a call that the frame cancels
   * @param timedOut told when a call has not been answered in time; without it, it has all the time
   */
  track(
    frame: Frame,
    call: ToolCall | undefined,
    entries: ActivityEntry[],
    timedOut?: TimedOut,
  ): Undo {
    if (frame.method === "notifications/cancelled") return this.#cancel(frame, entries);
    return this.#request(frame, call, timedOut);
  }

  #request(frame: Frame, call: ToolCall | undefined, timedOut: TimedOut | undefined): Undo {
    const { batches, conversation, inflight, late, operations } = this.#state;
    const operation = operations?.of(frame);
    const { id, idKey, kind, method = "" } = frame;
    if (kind !== "request" || idKey === undefined || id === undefined) return () => true;
    const judged = call ?? (ABOUT_TASKS.has(method) ? this.#taskOf(frame) : undefined);
    const cursor = method === "tools/list" ? requestedCursor(frame) : undefined;
    const deadline =
      call && timedOut ? callDeadline(this.#state, idKey, call, timedOut) : undefined;
    const pending: PendingRequest = {
      id,
      method,
      revision: frame.protocolVersion ?? conversation.revision,
      cursor,
      call: judged,
      deadline,
      operation,
      batch: batches.of(frame),
    };
    inflight.add(idKey, pending);
    return () => {
      if (inflight.remove(idKey, pending)) return true;
      // Cancelled before it was sent: no answer is owed, and none can come.
      late.remove(idKey, pending);
      return false;
    };
  }

  #taskOf({ taskId }: Frame): ToolCall {
    return this.#state.tasks.get(taskId ?? "") ?? unseenCall(this.#state);
  }

  /** A cancelled request need not be answered, so its record is written now. */
  #cancel(frame: Frame, entries: ActivityEntry[]): Undo {
    const { evidence, inflight, late } = this.#state;
    const key = frame.requestIdKey;
    const taken = key === undefined ? undefined : inflight.take(key);
    if (key === undefined || taken === undefined) return () => true;
    // A client cannot cancel `initialize`, without which there is no conversation.
    const pending: PendingRequest =
      taken.method === "initialize" ? taken : { ...taken, cancelled: true };
    late.add(key, pending);
    pending.operation?.failed("cancelled");
    const { call } = pending;
    const records = call !== undefined && !call.recorded;
    const given = call?.arguments;
    if (records) {
      call.recorded = true;
      entries.push(evidence.toolCall(call, "error", { reason: "cancelled by the client" }));
      call.arguments = undefined;
    }
    return () => {
      // The server does not hear of it and will answer, so the request waits again.
      if (!late.remove(key, pending)) return true;
      inflight.add(key, taken);
      if (records) {
        call.recorded = false;
        call.arguments = given;
      }
      return true;
    };
  }
}
