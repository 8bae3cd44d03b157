import { isQueueFull } from "../../policy/decide.ts";
import { heeded } from "../../policy/explain.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Stage } from "../exchange.ts";
import { judgeCall } from "../judge.ts";
import { blockedCall, rejected, TOO_MANY_CHECKS } from "../messages.ts";
import { settleSchema } from "../settle.ts";

/** Checks the arguments of a call by its tool's input schema. */
export const args: Stage<ClientExchange> = {
  name: "args",
  run({ state, frame, call, entries, era }) {
    if (call === undefined) return "continue";
    const began = state.tap.now?.();
    const judgement = judgeCall(frame, call);
    const check = { part: "input", direction: judgement.direction, began } as const;
    const { decision } = settleSchema(state, call, judgement, check, entries);
    if (decision !== "blocked") return "continue";
    if (isQueueFull(judgement.check)) {
      const full = rejected(frame.id, TOO_MANY_CHECKS);
      entries.push(state.evidence.toolCall(call, "rejected", answeredBy(frame, full)));
      return { respond: full };
    }
    const told = heeded(judgement.check, call.settings.input.rules);
    const response = blockedCall(frame.id, call, told, era);
    entries.push(state.evidence.toolCall(call, "blocked", answeredBy(frame, response)));
    const unauthorized = call.contract === undefined ? call.gap?.unauthorized : undefined;
    return { respond: response, unauthorized };
  },
};
