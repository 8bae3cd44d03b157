import type { Issue } from "@touchstone/core";
import { decidePin, type PinDecision } from "../../policy/pin.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Stage } from "../exchange.ts";
import { isAnswered, pinnedCall } from "../messages.ts";
import { settle } from "../settle.ts";

/** Refuses calls of tools that nobody has approved as they are now. */
export const pin: Stage<ClientExchange> = {
  name: "pin",
  run(exchange) {
    const { state, frame, call, entries, era, settings } = exchange;
    if (call === undefined || settings.pin === undefined) return "continue";
    const { context } = state;
    const decision = decidePin(settings.pin, call, context.pins);
    if (decision.decision === "allowed") return "continue";
    const make = (): Uint8Array => pinnedCall(frame.id, call, context.server, decision, era);
    const { response } = settle(
      state,
      {
        direction: "input",
        verdict: { ...decision, outcome: "violation", record: true },
        issues: [issueOf(decision)],
        reason: () => decision.reason,
        calls: [call],
        began: undefined,
        reply: { make, toClient: isAnswered(frame) },
        schemaHash: call.contract?.definition?.hash,
      },
      entries,
    );
    if (response === undefined) return "continue";
    entries.push(state.evidence.toolCall(call, "blocked", answeredBy(frame, response)));
    return { respond: response };
  },
};

function issueOf({ reason }: PinDecision): Issue {
  return { path: "", message: reason, rule: "policy", keyword: "pin" };
}
