import { limitsFor } from "../../features/caller.ts";
import type { OverLimit } from "../../features/limit.ts";
import { type Exceeded, type LevelLimits, limitsCalls } from "../../features/limits.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Outcome, Stage } from "../exchange.ts";
import { isAnswered, limitIssue, overRate } from "../messages.ts";
import { useOwnName } from "../own-name.ts";
import { settle } from "../settle.ts";
import { shownName } from "../shown-tool.ts";
import { ambiguity } from "./allow.ts";
import { openCall } from "./session.ts";

/**
 * Rejects calls over the limits on calls, in every mode, before any other work on them. A message that servers may read
 * as a call counts as one, and for every tool that it may call.
 */
export const rate: Stage<ClientExchange> = {
  name: "rate",
  isOn: ({ server, toolLimits, all }, hasOwnRules) =>
    hasOwnRules ||
    server.limits?.some(limitsCalls) === true ||
    toolLimits !== undefined ||
    all.some(({ adapt }) => adapt?.names !== undefined),
  run(exchange) {
    const { came, caller, snapshot } = exchange;
    const isCall = exchange.method === "tools/call";
    const isRenamed = isCall && useOwnName(exchange);
    if (came.isCounted === true) return isRenamed ? limitToolRate(exchange) : "continue";
    const limits = limitsFor(snapshot.server, caller).filter(limitsCalls);
    const ofTools = snapshot.toolLimits;
    if (limits.length === 0 && ofTools === undefined) return "continue";
    const isClear = (isCall && ofTools === undefined) || ambiguity(exchange) === undefined;
    if (isClear && !isCall) return "continue";
    const tools = ofTools?.of(isClear ? exchange.toolName : undefined) ?? [];
    return take(exchange, [...limits, ...tools]);
  },
};

/**
 * Rejects a call over the limit of its tool alone: {@link rate} did not know the tool's own name yet, and counted the
 * call for the other limits.
 */
export function limitToolRate(exchange: ClientExchange): Outcome {
  const { snapshot, toolName } = exchange;
  return take(exchange, snapshot.toolLimits?.of(toolName) ?? []);
}

function take(exchange: ClientExchange, limits: readonly LevelLimits[]): Outcome {
  const { state, caller } = exchange;
  const { context } = state;
  const counted = { server: context.server, caller: caller?.name, now: context.now() };
  const over = context.gates.take(limits, counted);
  return over === undefined ? "continue" : reject(exchange, over);
}

function reject(exchange: ClientExchange, over: Exceeded & OverLimit): Outcome {
  const { state, frame, entries, era } = exchange;
  const call = openCall(exchange);
  if (call) exchange.operation?.about(call);
  const { message } = over;
  const finding = {
    direction: "input",
    verdict: { decision: "blocked", outcome: "violation", mode: "strict", record: true },
    issues: [limitIssue(over)],
    reason: () => message,
    calls: call && [call],
    began: state.tap.now?.(),
    reply: {
      make: () => overRate(frame.id, shownName(exchange), message, era),
      toClient: isAnswered(frame),
    },
  } as const;
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  if (call) entries.push(state.evidence.toolCall(call, "limited", answeredBy(frame, response)));
  return { respond: response, refusal: { by: "limit", retryAfter: over.retryAfter } };
}
