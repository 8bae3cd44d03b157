import { type Issue, isUnchecked } from "@touchstone/core/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import type { Decision, Direction } from "../../settings/validation.ts";
import type { CaptureFileFrame } from "./own-responses.ts";
import { isOnlyAboutRedacted } from "./redacted-issues.ts";

/** A decision about a captured frame other than to forward it. */
export interface ReplayDecision {
  /** The frame's line number, from 1. */
  readonly line: number;
  readonly time: string;
  readonly server: string;
  readonly from: "client" | "server";
  /** For a response to the gateway itself: the method of its request. */
  readonly answers?: string;
  readonly tool?: string;
  readonly direction: Direction;
  readonly decision: Exclude<Decision, "allowed">;
  /** Whether the check reached a decision. A message that cannot be checked is blocked in strict, too. */
  readonly checked: boolean;
  readonly reason: string;
  readonly issues: readonly Issue[];
  /**
   * Whether everything that the decision depends on was removed from the frame, so that the real one is unknown.
   */
  readonly redacted: boolean;
}

/** The result for a line. */
export type ReplayEvent =
  | { readonly kind: "decision"; readonly decision: ReplayDecision }
  | { readonly kind: "call"; readonly server: string; readonly tool: string; judged: boolean }
  /** A message that would be blocked because the capture lacks the tool's declaration. */
  | { readonly kind: "unknown"; readonly line: number }
  /** The line is not a line of a capture. */
  | { readonly kind: "malformed"; readonly line: number; readonly reason: string }
  /** Frames are missing here. */
  | { readonly kind: "missing"; readonly line: number; readonly frames: number }
  | { readonly kind: "frame" };

/** A call that has ended; undefined for any other entry. */
export function endedCall({
  type,
  server = "",
  tool,
  outcome,
}: ActivityEntry): readonly ReplayEvent[] {
  if (type !== "tool_call" || tool === undefined) return [];
  return [{ kind: "call", server, tool, judged: outcome !== "skipped" && outcome !== "unknown" }];
}

/** Returns what a decision says about a frame; undefined if the frame passes without a record. */
export function decisionOf(
  entry: ActivityEntry,
  { number: line, frame: { time, server }, bytes, redactions }: CaptureFileFrame,
  who: Pick<ReplayDecision, "from" | "answers">,
): readonly ReplayEvent[] {
  const { type, decision, direction, reason = "", issues = [], tool } = entry;
  if (type !== "policy_decision" || direction === undefined) return [];
  if (decision === undefined || decision === "allowed") return [];
  // A capture may begin after the tools were listed, so an unknown tool says nothing about the call.
  const { outcome = "skipped" } = entry;
  const isUnlisted = issues[0]?.keyword === "unlisted";
  if (outcome === "unknown" && !isUnlisted) {
    return decision === "blocked" ? [{ kind: "unknown", line }] : [];
  }
  const redacted = redactions > 0 && isOnlyAboutRedacted(bytes, direction, issues);
  const named = tool === undefined ? {} : { tool };
  const checked = isUnlisted || !isUnchecked({ outcome });
  const found = { line, time, server, ...who, ...named, direction, decision, checked, reason };
  return [{ kind: "decision", decision: { ...found, issues, redacted } }];
}
