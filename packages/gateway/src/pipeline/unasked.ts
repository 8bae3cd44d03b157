import type { Frame } from "@touchstone/protocol";
import type { Verdict } from "../policy/decide.ts";
import type { Mode } from "../policy/settings.ts";
import { allFaults, describeFaults, type MessageFaults, protocolFault } from "./faults.ts";
import type { Passage, PipelineState } from "./state.ts";

/**
 * How a result is judged that answers no request. A client that is about to use its id, or has just
 * done so, would take it for the answer, and no schema was applied to it. Where the client may have
 * asked by another gateway, nobody knows, and it is not judged.
 */
export function unaskedMode({ context, conversation }: PipelineState, frame: Frame): Mode {
  if (conversation.whole !== true || frame.kind !== "response") return "off";
  return context.strictestForAnswers();
}

/**
 * Records it. In strict nothing goes on.
 * @param more what else is wrong with it as a message
 */
export async function passUnasked(
  state: PipelineState,
  frame: Frame,
  mode: Exclude<Mode, "off">,
  { errors, items }: MessageFaults,
): Promise<Passage> {
  const unasked = protocolFault("/id", "no request with this id waits for an answer");
  const faults = [unasked, ...allFaults(errors, items)];
  const reason = describeFaults(faults);
  const decision = mode === "strict" ? "blocked" : "warning";
  const verdict: Verdict = { decision, outcome: "violation", mode, record: true };
  state.checked("protocol", verdict, { began: undefined, issues: faults });
  state.report(decision, "protocol", undefined, `server answer: ${reason}`);
  const kept = await state.append([
    state.evidence.protocolDecision(verdict, faults, reason, undefined),
  ]);
  if (decision === "blocked") return {};
  return { onward: kept ? frame.bytes : state.unrecorded(frame.id) };
}
