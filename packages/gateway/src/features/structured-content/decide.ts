import type { Mode, PolicyDecision } from "../decision.ts";

/** Decides about a result without structured content from a tool that declares an output schema. */
export function decideMissing(settings: {
  readonly mode: Mode;
  readonly missingStructuredContent: "allow" | "block";
}): PolicyDecision {
  const { mode } = settings;
  if (mode === "off") return { decision: "allowed", outcome: "skipped", mode, record: false };
  const blocked = mode === "strict" && settings.missingStructuredContent === "block";
  return {
    decision: blocked ? "blocked" : "allowed",
    outcome: "missing",
    mode,
    record: blocked,
  };
}
