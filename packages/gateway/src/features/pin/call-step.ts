import type { Issue } from "@touchstone/core";
import { ambiguousCallIssue, policyIssue } from "../ambiguity.ts";
import type { CallError, CalledTool, CallStep } from "../call-step.ts";
import { namelessCallError, unknownToolError } from "../unknown-schemas/text.ts";
import { decidePin, type PinDecision } from "./decide.ts";
import { explainPin } from "./text.ts";

/**
 * Blocks calls of tools whose current declaration is not approved. In strict it also blocks messages that servers may
 * read as different calls.
 */
export const pinCallStep: CallStep = {
  name: "pin",
  isOn: ({ all }) => all.some(({ pin }) => pin !== undefined && pin.mode !== "off"),
  refuse(message) {
    const { call, came, settings, state } = message;
    if (settings.pin === undefined || settings.pin.mode === "off") return undefined;
    const unclear = settings.pin.mode === "strict" ? ambiguousCallIssue(message) : undefined;
    if (unclear !== undefined) {
      const reason = `pins cannot tell which tool is called: ${unclear.message}`;
      const issue: Issue = { ...unclear, message: reason, keyword: "pin" };
      return {
        ...{ decision: "blocked", mode: "strict", status: "denied", issues: [issue] },
        reason: () => reason,
        error: () => ({ as: "blocked message", code: came.transport?.code }),
      };
    }
    if (call === undefined) return undefined;
    const { pins, server } = state.context;
    const decided = decidePin(settings.pin, call, pins);
    const { decision, mode, reason } = decided;
    if (decision === "allowed") return undefined;
    return {
      ...{ decision, mode, status: "held", issues: [policyIssue("/params/name", reason, "pin")] },
      reason: () => reason,
      schemaHash: call.contract?.definition?.hash,
      isGap: decided.state === "unknown",
      error: (shown) => errorOf(call, shown, server, decided),
    };
  },
};

function errorOf(
  { tool, gap }: CalledTool,
  shown: string,
  server: string,
  decision: PinDecision,
): CallError {
  if (tool === undefined) return namelessCallError;
  if (gap?.code === "unlisted") return unknownToolError(shown, undefined);
  return { as: "tool error", text: explainPin(tool, server, decision, shown) };
}
