import { NOTED_PREFIX } from "@touchstone/records/plain";
import type { PolicyDecision } from "../features/decision.ts";

/** Returns the verdict about faults that are noted but block nothing, and the reason for its record. */
export function notedDecision(
  verdict: PolicyDecision,
  reason: string,
): { readonly verdict: PolicyDecision; readonly reason: string } {
  return { verdict: { ...verdict, decision: "warning" }, reason: `${NOTED_PREFIX}${reason}` };
}
