import type { Verdict } from "../features/decision.ts";

/**
 * How a record's reason begins for faults that no mode blocks, to set them apart from faults that strict blocks.
 */
export const NOTED = "noted in every mode: ";

/** Returns the verdict about faults that are noted but block nothing, and the reason for its record. */
export function noted(
  verdict: Verdict,
  reason: string,
): { readonly verdict: Verdict; readonly reason: string } {
  return { verdict: { ...verdict, decision: "warning" }, reason: `${NOTED}${reason}` };
}
