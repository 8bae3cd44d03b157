/** What a check does with a failure: off checks nothing, warn records it, strict blocks the message. */
export type Mode = "off" | "warn" | "strict";
/** What was done with a message that failed a check; else `allowed`. */
export type Decision = "allowed" | "warning" | "repaired" | "blocked";
