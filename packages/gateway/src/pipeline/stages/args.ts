import { withoutIgnored } from "@touchstone/core/advanced";
import { isQueueFull } from "../../features/decision.ts";
import { isAboutArguments } from "../../policy/decide.ts";
import { responseFacts } from "../evidence.ts";
import { BUSY_REFUSAL, type ClientExchange, type Stage } from "../exchange.ts";
import type { ToolCall } from "../in-flight.ts";
import { type DecidedCallCheck, judgeCall } from "../judge.ts";
import { blockedCall, receivesError, rejectedResponse, TOO_MANY_CHECKS } from "../messages.ts";
import { repairCall } from "../repair.ts";
import { settleSchema } from "../settle.ts";
import { checkByShownSchema, clientSchema, shownName } from "../shown-tool.ts";

/** Checks the arguments of a call by its tool's input schema. Repairs them if the settings say so. */
export const args: Stage<ClientExchange> = {
  name: "args",
  run(exchange) {
    const { state, frame, call, entries, era } = exchange;
    if (call === undefined) return "continue";
    const began = state.tap.now?.();
    const judgement = judgeCall(frame, call);
    const check = { part: "input", direction: judgement.direction, began } as const;
    if (judgement.verdict.decision === "allowed") {
      settleSchema(state, call, judgement, check, entries);
      return "continue";
    }
    const repaired = repairCall(frame, call, judgement.check, exchange.came.repair);
    if (repaired !== undefined) {
      settleSchema(state, call, asRepaired(judgement), { ...check, repaired }, entries);
      exchange.onward = repaired.bytes;
      return "continue";
    }
    const isFull = isQueueFull(judgement.check);
    const repeated = isRepeated(exchange, call, judgement);
    const make = (): Uint8Array =>
      isFull
        ? rejectedResponse(frame.id, TOO_MANY_CHECKS)
        : blockedCall(
            frame,
            call,
            checkByShownSchema(exchange, withoutIgnored(judgement.check), "all"),
            era,
            {
              tool: shownName(exchange),
              schema: clientSchema(exchange),
              repeated,
            },
          );
    const reply = { make, toClient: receivesError(frame) };
    const settled = settleSchema(state, call, judgement, { ...check, reply, repeated }, entries);
    const { response } = settled;
    if (response === undefined) return "continue";
    const status = isFull ? "rejected" : "blocked";
    entries.push(state.evidence.toolCall(call, status, responseFacts(frame, response)));
    if (isFull) return { respond: response, refusal: BUSY_REFUSAL };
    const httpRefusal = call.contract === undefined ? call.gap?.httpRefusal : undefined;
    return { respond: response, httpRefusal };
  },
};

/** Returns whether the same arguments were refused before, and remembers them. */
function isRepeated(
  { state, frame }: ClientExchange,
  { tool }: ToolCall,
  { check, verdict }: DecidedCallCheck,
): boolean {
  if (verdict.decision !== "blocked" || !isAboutArguments(check)) return false;
  const { context, conversation } = state;
  const range = frame.range("/params/arguments");
  const args = range && frame.bytes.subarray(range.start, range.end);
  return context.refusals?.repeats(args, tool ?? "", conversation) === true;
}

function asRepaired(judgement: DecidedCallCheck): DecidedCallCheck {
  const { verdict } = judgement;
  return { ...judgement, verdict: { ...verdict, decision: "repaired", record: true } };
}
