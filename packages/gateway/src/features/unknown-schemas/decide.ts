import type { Mode, PolicyDecision } from "../decision.ts";

/** The settings for one direction. */
export interface UnknownSettings {
  readonly mode: Mode;
  readonly onUnknownSchema: "allow" | "block";
}

/** Decides about a payload of a tool with unknown schemas, in one direction. */
export function decideUnknown({ mode, onUnknownSchema }: UnknownSettings): PolicyDecision {
  if (mode === "off") return { decision: "allowed", outcome: "skipped", mode, record: false };
  const blocks = mode === "strict" && onUnknownSchema === "block";
  return { decision: blocks ? "blocked" : "warning", outcome: "unknown", mode, record: true };
}

/**
 * Decides about a call of a tool with unknown schemas, before it is sent. One direction that blocks is enough,
 * because the result could not be checked either. Also returns the direction that decided.
 */
export function decideUnknownCall({
  input,
  output,
}: Readonly<Record<"input" | "output", UnknownSettings>>): PolicyDecision & {
  readonly direction: "input" | "output";
} {
  const onInput = { ...decideUnknown(input), direction: "input" as const };
  const onOutput = { ...decideUnknown(output), direction: "output" as const };
  if (onInput.decision === "blocked") return onInput;
  return onOutput.decision === "blocked" || input.mode === "off" ? onOutput : onInput;
}
