import { type CallLimit, limitsFor, type OverRate } from "../../policy/rate.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Outcome, Stage } from "../exchange.ts";
import { isAnswered, overRate, overRateIssue, tooManyCallsPerMinute } from "../messages.ts";
import { useOwnName } from "../own-name.ts";
import { settle } from "../settle.ts";
import { openCall } from "./session.ts";

/** Rejects calls over `limits.calls_per_minute`, in every mode, before any other work on them. */
export const rate: Stage<ClientExchange> = {
  name: "rate",
  run(exchange) {
    const { frame, came, caller } = exchange;
    if (frame.method !== "tools/call") return "continue";
    const isRenamed = useOwnName(exchange);
    if (came.isCounted === true) return isRenamed ? limitToolRate(exchange) : "continue";
    const limits = limitsFor(exchange.settings.rates, caller);
    return limits === undefined ? "continue" : take(exchange, limits);
  },
};

/**
 * Rejects a call over the limit of its tool alone: {@link rate} did not know the tool's own name yet, and counted the
 * call for the other limits.
 */
export function limitToolRate(exchange: ClientExchange): Outcome {
  const limits = exchange.settings.rates?.filter(({ level }) => level === "tool");
  return limits === undefined ? "continue" : take(exchange, limits);
}

function take(exchange: ClientExchange, limits: readonly CallLimit[]): Outcome {
  const { state, frame, caller } = exchange;
  const { context } = state;
  const counted = { server: context.server, tool: frame.toolName, caller: caller?.name };
  const over = context.rates.take(limits, counted, context.now());
  return over === undefined ? "continue" : reject(exchange, over);
}

function reject(exchange: ClientExchange, over: OverRate): Outcome {
  const { state, frame, entries, era } = exchange;
  const call = openCall(exchange);
  const message = tooManyCallsPerMinute(over);
  const finding = {
    direction: "input",
    verdict: { decision: "blocked", outcome: "violation", mode: "strict", record: true },
    issues: [overRateIssue(message)],
    reason: () => message,
    calls: call && [call],
    began: state.tap.now?.(),
    reply: {
      make: () => overRate(frame.id, call?.tool ?? "", message, era),
      toClient: isAnswered(frame),
    },
  } as const;
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  if (call) entries.push(state.evidence.toolCall(call, "rejected", answeredBy(frame, response)));
  return { respond: response, refusal: { by: "limit", retryAfter: over.retryAfter } };
}
