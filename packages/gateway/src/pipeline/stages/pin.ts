import type { Issue } from "@touchstone/core";
import { decidePin, type PinDecision } from "../../features/pin/decide.ts";
import { answeredBy } from "../evidence.ts";
import { type ClientExchange, FORBIDDEN, type Outcome, type Stage } from "../exchange.ts";
import { blockedMessage, isAnswered, pinnedCall } from "../messages.ts";
import { type Finding, settle } from "../settle.ts";
import { shownName } from "../shown-tool.ts";
import { ambiguity } from "./allow.ts";

/**
 * Blocks calls of tools whose current declaration is not approved. In strict it also blocks messages that servers may
 * read as different calls.
 */
export const pin: Stage<ClientExchange> = {
  name: "pin",
  isOn: ({ all }) => all.some(({ pin }) => pin !== undefined && pin.mode !== "off"),
  run(exchange) {
    const { state, frame, call, era, settings } = exchange;
    if (settings.pin === undefined || settings.pin.mode === "off") return "continue";
    const unclear = settings.pin.mode === "strict" ? ambiguity(exchange) : undefined;
    if (unclear !== undefined) {
      const reason = `pins cannot tell which tool is called: ${unclear.message}`;
      const issue: Issue = { ...unclear, message: reason, keyword: "pin" };
      const unread = { decision: "blocked", mode: "strict", status: "denied", reason } as const;
      return settled(exchange, unread, issue, () =>
        blockedMessage(frame, [issue], exchange.came.transport?.code),
      );
    }
    if (call === undefined) return "continue";
    const { pins, server } = state.context;
    const decision = decidePin(settings.pin, call, pins);
    if (decision.decision === "allowed") return "continue";
    const { reason } = decision;
    const issue: Issue = { path: "/params/name", message: reason, rule: "policy", keyword: "pin" };
    const outcome = settled(exchange, { ...decision, status: "held" }, issue, () =>
      pinnedCall(frame.id, call, shownName(exchange), server, decision, era),
    );
    const httpRefusal = decision.state === "unknown" ? call.gap?.httpRefusal : undefined;
    return typeof outcome === "object" && httpRefusal ? { ...outcome, httpRefusal } : outcome;
  },
};

function settled(
  { state, frame, call, entries }: ClientExchange,
  {
    decision,
    mode,
    reason,
    status,
  }: Pick<PinDecision, "decision" | "mode" | "reason"> & { readonly status: "denied" | "held" },
  issue: Issue,
  make: () => Uint8Array,
): Outcome {
  const finding: Finding = {
    direction: "input",
    verdict: { decision, mode, outcome: "violation", record: true },
    issues: [issue],
    reason: () => reason,
    what: call === undefined ? "client message" : undefined,
    calls: call && [call],
    began: state.tap.now?.(),
    reply: { make, toClient: isAnswered(frame) },
    schemaHash: call?.contract?.definition?.hash,
  };
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  if (call) entries.push(state.evidence.toolCall(call, status, answeredBy(frame, response)));
  return { respond: response, refusal: FORBIDDEN };
}
