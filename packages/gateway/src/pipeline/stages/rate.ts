import { ambiguousCallIssue } from "../../features/ambiguity.ts";
import { limitsFor } from "../../features/caller.ts";
import type { OverLimit } from "../../features/limit.ts";
import { type ExceededLimit, hasCallLimit, type LevelLimits } from "../../features/limits.ts";
import { refuseCall } from "../call-stage.ts";
import type { ClientExchange, Stage, StageOutcome } from "../exchange.ts";
import { limitIssue, refusedText } from "../messages.ts";
import { useServerToolName } from "../server-tool-name.ts";
import { beginCall } from "./session.ts";

/**
 * Rejects calls over the limits on calls, in every mode, before any other work on them. A message that servers may
 * read as a call counts as a call, for every tool that it may call.
 */
export const rate: Stage<ClientExchange> = {
  name: "rate",
  isOn: ({ server, toolLimits, all }, hasOwnRules) =>
    hasOwnRules ||
    server.limits?.some(hasCallLimit) === true ||
    toolLimits !== undefined ||
    all.some(({ adapt }) => adapt?.names !== undefined),
  run(exchange) {
    const { came, caller, snapshot } = exchange;
    const isCall = exchange.method === "tools/call";
    const isRenamed = isCall && useServerToolName(exchange);
    if (came.isCounted === true) return isRenamed ? limitToolRate(exchange) : "continue";
    const limits = limitsFor(snapshot.server, caller).filter(hasCallLimit);
    const ofTools = snapshot.toolLimits;
    if (limits.length === 0 && ofTools === undefined) return "continue";
    const isClear = (isCall && ofTools === undefined) || ambiguousCallIssue(exchange) === undefined;
    if (isClear && !isCall) return "continue";
    const tools = ofTools?.of(isClear ? exchange.toolName : undefined) ?? [];
    return take(exchange, [...limits, ...tools]);
  },
};

/**
 * Rejects a call over the limit of its tool alone: {@link rate} did not know the tool's own name yet, and counted the
 * call for the other limits.
 */
export function limitToolRate(exchange: ClientExchange): StageOutcome {
  const { snapshot, toolName } = exchange;
  return take(exchange, snapshot.toolLimits?.of(toolName) ?? []);
}

function take(exchange: ClientExchange, limits: readonly LevelLimits[]): StageOutcome {
  const { state, caller } = exchange;
  const { context } = state;
  const counted = { server: context.server, caller: caller?.name, now: context.now() };
  const over = context.gates.take(limits, counted);
  return over === undefined ? "continue" : reject(exchange, over);
}

function reject(exchange: ClientExchange, over: ExceededLimit & OverLimit): StageOutcome {
  beginCall(exchange);
  const { message, retryAfter } = over;
  return refuseCall(exchange, {
    ...{ decision: "blocked", mode: "strict", issues: [limitIssue(over)], retryAfter },
    reason: () => message,
    status: "limited",
    error: (shown) => ({ as: "tool error", text: refusedText(shown, message) }),
  });
}
