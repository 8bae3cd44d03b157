import type { Check, Issue, RepairedText, RepairKind } from "@touchstone/core/advanced";

/** What a host decides about the arguments of a call. */
export interface HostJudgement {
  /** `blocked`: the call is not sent. `repaired`: it is sent with other arguments. */
  readonly decision: "allowed" | "warning" | "repaired" | "blocked";
  /** The issues as the host treats them: `valid` is false exactly if there are errors. */
  readonly check: Check;
  /** Oddities of the schema itself, for `?detail=full`. */
  readonly schemaWarnings?: (() => readonly Issue[]) | undefined;
  /** The arguments that are sent, if the decision is `repaired`. */
  readonly repaired?: RepairedText | undefined;
  /**
   * Whether `handleCall` is called although there are errors: because it refuses the call itself, or because the call
   * is allowed.
   */
  readonly isHandled: boolean;
}

/** The arguments about which a host decides. */
export interface CallToJudge {
  readonly tool: string;
  /** The JSON text of the arguments, as the client wrote them. */
  readonly body: Uint8Array;
  /** The kinds of repair that the client asks for. */
  readonly repair: readonly RepairKind[];
  /** Aborted when the client leaves, and at `hostTimeoutMs`, after which nobody waits for the decision. */
  readonly signal: AbortSignal;
}

/** Decides about the arguments of a call instead of the check by the tool's schema. */
export type HostJudge = (call: CallToJudge) => Promise<HostJudgement> | HostJudgement;
