import type { Frame } from "@touchstone/protocol";
import type { Verdict } from "../policy/decide.ts";
import { describeFaults, protocolFault } from "./faults.ts";
import type { Passage, PipelineState } from "./state.ts";

/**
 * Whether a result that answers no request is to be stopped. A client that is about to use its id,
 * or has just done so, would take it for the answer, and no schema was applied to it. Where the
 * client may have asked by another gateway, nobody knows.
 */
export function stopsUnasked({ context, conversation }: PipelineState, frame: Frame): boolean {
  if (conversation.whole !== true || frame.kind !== "response") return false;
  return context.stopsAnswers();
}

/** Records it, and lets nothing go on. */
export async function stopUnasked(state: PipelineState): Promise<Passage> {
  const faults = [protocolFault("/id", "no request with this id waits for an answer")];
  const reason = describeFaults(faults);
  const verdict: Verdict = {
    decision: "blocked",
    outcome: "violation",
    mode: "strict",
    record: true,
  };
  state.checked("protocol", verdict, { began: undefined, issues: faults });
  state.report("blocked", "protocol", undefined, `server answer: ${reason}`);
  await state.append([state.evidence.protocolDecision(verdict, faults, reason, undefined)]);
  return {};
}
