import { ERROR_CODES, type Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Verdict } from "../policy/decide.ts";
import type { Mode } from "../policy/settings.ts";
import { allFaults, describeFaults, type MessageFaults, protocolFault } from "./faults.ts";
import { issuesError } from "./refusal.ts";
import { type Finding, settle } from "./settle.ts";
import type { Passage, PipelineState } from "./state.ts";

/**
 * How a result is judged that answers no request. A client that is about to use its id, or has just
 * done so, would take it for the answer, and no schema was applied to it. Where the pipeline is not
 * shown all that the client sends, nobody knows, and it is not judged.
 */
export function unaskedMode({ context, conversation }: PipelineState, frame: Frame): Mode {
  if (conversation.whole !== true || frame.kind !== "response") return "off";
  return context.strictestForAnswers();
}

interface Unasked {
  readonly mode: Exclude<Mode, "off">;
  /** What else is wrong with it as a message. */
  readonly found: MessageFaults;
  /** It came on a stream that a client resumed, who may wait for it. */
  readonly resumed: boolean | undefined;
}

const SEND_AGAIN =
  "Blocked by touchstone: this gateway does not know the request that is answered here, so nothing of the answer can be checked; send it again";

/** Records it. In strict nothing of it goes on. */
export async function passUnasked(
  state: PipelineState,
  frame: Frame,
  { mode, found: { errors, items, more = 0 }, resumed }: Unasked,
): Promise<Passage> {
  const unasked = protocolFault("/id", "no request with this id waits for an answer");
  const faults = [unasked, ...allFaults(errors, items)];
  const verdict: Verdict = {
    ...{ decision: mode === "strict" ? "blocked" : "warning", outcome: "violation" },
    ...{ mode, record: true },
  };
  const entries: ActivityEntry[] = [];
  const finding: Finding = {
    direction: "protocol",
    verdict,
    issues: faults,
    more,
    reason: () => describeFaults(faults, more),
    what: "server answer",
  };
  const { decision } = settle(state, finding, entries);
  const kept = await state.append(entries);
  if (decision === "blocked") {
    if (resumed !== true) return {};
    return { onward: issuesError(frame.id ?? null, ERROR_CODES.internalError, SEND_AGAIN, faults) };
  }
  return { onward: kept ? frame.bytes : state.unrecorded(frame.id) };
}
