import type { Verdict } from "./decide.ts";

/** How the reason of a record begins of faults that no mode blocks: so they are told from those that strict does. */
export const NOTED = "noted in every mode: ";

/** Returns the verdict about faults that are noted and block nothing, and the reason in its record. */
export function noted(
  verdict: Verdict,
  reason: string,
): { readonly verdict: Verdict; readonly reason: string } {
  return { verdict: { ...verdict, decision: "warning" }, reason: `${NOTED}${reason}` };
}
