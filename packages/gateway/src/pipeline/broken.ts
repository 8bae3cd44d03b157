import { ERROR_CODES, type Frame, isAttempt, legibleId } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import { decideProtocol, type Verdict } from "../policy/decide.ts";
import { heavier } from "./evidence.ts";
import { describeFaults } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import { issuesError } from "./refusal.ts";
import type { Passage, PipelineState } from "./state.ts";

const SHOWN_BYTES = 200;

/**
 * Takes a frame of the server's that is no message. What prints on stdout beside the messages is
 * told and left out. An answer that broke off, or is no JSON, becomes an error on the id of its
 * request, in every mode: there is nothing to forward. JSON that has the beginnings of a message is
 * judged by the mode like any other fault.
 * @param inBatch whether the frame is an item of a batch, where nothing is noise
 */
export async function passBroken(
  state: PipelineState,
  frame: Frame,
  inBatch: boolean,
): Promise<Passage> {
  const { context, evidence } = state;
  const { faults } = frame;
  const reason = `server sent what is no JSON-RPC message: ${describeFaults(faults)}`;
  if (!inBatch && !isAttempt(frame)) {
    const text = Buffer.from(frame.bytes.subarray(0, SHOWN_BYTES)).toString();
    context.log.warn(`${context.server}: ${reason}`, { bytes: frame.bytes.length, text });
    return {};
  }
  const legible = frame.scan.error === undefined;
  const { mode } = context.settings().protocol;
  const passes = legible && mode !== "strict";
  const verdict: Verdict = passes
    ? decideProtocol(faults.length, context.settings().protocol)
    : { decision: "blocked", outcome: "violation", mode, record: mode !== "off" };
  const pending = passes ? undefined : pendingOf(state, frame);
  const call = pending?.call;
  const entries: ActivityEntry[] = [];
  if (verdict.record) entries.push(evidence.protocolDecision(verdict, faults, reason, call));
  if (call) {
    call.verdict = heavier(call.verdict, { ...verdict, direction: "protocol", reason });
    if (!call.recorded) entries.push(evidence.toolCall(call, "blocked", {}));
    call.recorded = true;
  }
  if (verdict.decision !== "allowed") {
    state.report(verdict.decision, "protocol", call?.tool, reason);
  }
  const kept = await state.append(entries);
  if (passes && kept) return { onward: frame.bytes };
  if (pending === undefined || call?.expired) return {};
  const code = ERROR_CODES.internalError;
  return { onward: issuesError(pending.id, code, `touchstone: ${reason}`, faults) };
}

/** The request that a broken answer was meant for: by its id, or because no other is waiting. */
function pendingOf({ inflight, late }: PipelineState, frame: Frame): PendingRequest | undefined {
  // What has a method is no answer, and its id is the server's own.
  if (frame.range("/method") !== undefined) return undefined;
  const key = legibleId(frame)?.key;
  if (key !== undefined) return inflight.take(key) ?? late.take(key);
  // What is whole and has no id answers nothing.
  return frame.scan.error === undefined ? undefined : inflight.takeOnly();
}
