import type { ToolContract } from "../../contracts/contract.ts";
import type { UnknownSchemaReason } from "../../contracts/contract-source.ts";
import type { Decision, Mode } from "../decision.ts";
import type { PinSettings } from "./pin-settings.ts";
import type { Approval, Pins } from "./pins.ts";

/** The decision of pins about a call, or about a tool of a list. */
export interface PinDecision {
  readonly decision: Extract<Decision, "allowed" | "warning" | "blocked">;
  readonly mode: Mode;
  /** Why it is not allowed, as a clause. */
  readonly reason: string;
  /** The state of the tool in words. */
  readonly state: "held" | "revoked" | "unknown";
  /** What could allow it: an approval of the tool, or knowledge that is missing now. */
  readonly next: "approve" | "wait" | "none";
}

const ALLOWED: PinDecision = {
  decision: "allowed",
  mode: "off",
  reason: "",
  state: "unknown",
  next: "none",
};

/** What is known of a tool when it is called. */
interface CalledTool {
  readonly contract: ToolContract | undefined;
  readonly gap?: UnknownSchemaReason | undefined;
}

/**
 * Decides whether a tool may be called as it is declared now. Unknown declarations are not approved.
 * @param pins undefined if approvals cannot be kept
 */
export function decidePin(
  { mode }: PinSettings,
  { contract, gap }: CalledTool,
  pins: Pick<Pins, "of"> | undefined,
): PinDecision {
  if (mode === "off") return ALLOWED;
  const found = whyNot({ contract, gap }, pins);
  if (found === undefined) return { ...ALLOWED, mode };
  return { decision: mode === "strict" ? "blocked" : "warning", mode, ...found };
}

type WhyNot = Pick<PinDecision, "reason" | "state" | "next">;

function whyNot(
  { contract, gap }: CalledTool,
  pins: Pick<Pins, "of"> | undefined,
): WhyNot | undefined {
  if (gap !== undefined) {
    const reason = `the server's current definition of the tool is not known: ${gap.reason}`;
    return { reason, state: "unknown", next: gap.code === "unlisted" ? "none" : "wait" };
  }
  const hash = contract?.definition?.hash;
  if (contract === undefined || hash === undefined || pins === undefined) {
    const reason = "the server's current definition of the tool is not known";
    return { reason, state: "unknown", next: "wait" };
  }
  return byApproval(pins.of({ kind: "tool", name: contract.name, hash }));
}

/**
 * Decides whether a tool may be listed.
 * @param tool its name and the hash of its definition; a tool that lacks them cannot be approved
 */
export function decidePinned(
  { mode }: PinSettings,
  { name, hash }: { readonly name: string | undefined; readonly hash: string | undefined },
  pins: Pick<Pins, "of"> | undefined,
): PinDecision {
  if (mode === "off") return ALLOWED;
  const approval: Approval =
    pins === undefined
      ? { state: "unknown" }
      : name === undefined || hash === undefined
        ? { state: "held" }
        : pins.of({ kind: "tool", name, hash });
  // Its calls are checked once the whole list is known.
  const found = approval.state === "first" ? undefined : byApproval(approval);
  if (found === undefined) return { ...ALLOWED, mode };
  return { decision: mode === "strict" ? "blocked" : "warning", mode, ...found };
}

function byApproval(approval: Approval): WhyNot | undefined {
  switch (approval.state) {
    case "approved":
      return undefined;
    case "held":
      return {
        reason:
          approval.previous === undefined
            ? "nobody has approved the tool"
            : "the tool has changed since it was approved",
        state: "held",
        next: "approve",
      };
    case "revoked":
      return {
        reason: "the approval of the tool was withdrawn",
        state: "revoked",
        next: "approve",
      };
    case "first":
      return {
        reason:
          "the server's tools are approved once its whole list is known, and it is not known yet",
        state: "unknown",
        next: "wait",
      };
    case "unknown":
      return {
        reason: `the approvals cannot be read: ${approval.reason ?? ""}`,
        state: "unknown",
        next: "wait",
      };
  }
}
