import type { Check, Outcome } from "@touchstone/core/advanced";

export const MODE_VALUES = ["off", "warn", "strict"] as const;
/** What a check does with a failure: off checks nothing, warn records it, strict blocks the message. */
export type Mode = (typeof MODE_VALUES)[number];
/** What was done with a message that failed a check; else `allowed`. */
export type Decision = "allowed" | "warning" | "repaired" | "blocked";

/** The policy's decision about one check. */
export interface PolicyDecision {
  readonly decision: Decision;
  readonly outcome: Outcome;
  readonly mode: Mode;
  /** Whether to write a `policy_decision` record. */
  readonly record: boolean;
}

/** Returns whether a check was not made because too many others waited. The client can try again. */
export function isQueueFull({ outcome, counts }: Pick<Check, "outcome" | "counts">): boolean {
  return outcome === "unknown" && counts.budget !== undefined;
}
