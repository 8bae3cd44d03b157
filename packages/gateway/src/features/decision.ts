import type { Outcome } from "@touchstone/core";

/** What a check does with a failure: off checks nothing, warn records it, strict blocks the message. */
export type Mode = "off" | "warn" | "strict";
/** What was done with a message that failed a check; else `allowed`. */
export type Decision = "allowed" | "warning" | "repaired" | "blocked";

/** The policy's decision about one check. */
export interface Verdict {
  readonly decision: Decision;
  readonly outcome: Outcome;
  readonly mode: Mode;
  /** Whether to write a `policy_decision` record. */
  readonly record: boolean;
}
