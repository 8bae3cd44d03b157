import { isQueueFull } from "../../policy/decide.ts";
import { heeded } from "../../policy/explain.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Stage } from "../exchange.ts";
import { type CallJudgement, judgeCall } from "../judge.ts";
import { blockedCall, isAnswered, rejected, TOO_MANY_CHECKS } from "../messages.ts";
import { repairCall } from "../repair.ts";
import { settleSchema } from "../settle.ts";

/** Checks the arguments of a call by its tool's input schema, and repairs them if its settings say so. */
export const args: Stage<ClientExchange> = {
  name: "args",
  run(exchange) {
    const { state, frame, call, entries, era } = exchange;
    if (call === undefined) return "continue";
    const began = state.tap.now?.();
    const judgement = judgeCall(frame, call);
    const check = { part: "input", direction: judgement.direction, began } as const;
    const isAllowed = judgement.verdict.decision === "allowed";
    const repaired = isAllowed ? undefined : repairCall(frame, call, judgement.check);
    if (repaired !== undefined) {
      settleSchema(state, call, asRepaired(judgement), { ...check, repaired }, entries);
      exchange.onward = repaired.bytes;
      return "continue";
    }
    const isFull = isQueueFull(judgement.check);
    const make = (): Uint8Array =>
      isFull
        ? rejected(frame.id, TOO_MANY_CHECKS)
        : blockedCall(frame.id, call, heeded(judgement.check, call.settings.input.rules), era);
    const reply = { make, toClient: isAnswered(frame) };
    const { response } = settleSchema(state, call, judgement, { ...check, reply }, entries);
    if (response === undefined) return "continue";
    const status = isFull ? "rejected" : "blocked";
    entries.push(state.evidence.toolCall(call, status, answeredBy(frame, response)));
    if (isFull) return { respond: response };
    const unauthorized = call.contract === undefined ? call.gap?.unauthorized : undefined;
    return { respond: response, unauthorized };
  },
};

function asRepaired(judgement: CallJudgement): CallJudgement {
  const { verdict } = judgement;
  return { ...judgement, verdict: { ...verdict, decision: "repaired", record: true } };
}
