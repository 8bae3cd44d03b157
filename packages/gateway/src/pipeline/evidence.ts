import type { GuardTrip, Issue, Outcome } from "@touchstone/core";
import type { ActivityEntry, ActivityStatus } from "../activity/record.ts";
import type { ContractChange } from "../contracts/store.ts";
import { isHeavier, type Verdict } from "../policy/decide.ts";
import type { Direction } from "../policy/settings.ts";
import type { Conversation, PipelineContext } from "./context.ts";
import type { CallVerdict, ToolCall } from "./inflight.ts";
import type { Judgement } from "./judge.ts";

/** Writes the records of one conversation in the shape that the activity log takes. */
export class Evidence {
  readonly #context: PipelineContext;
  readonly #conversation: Conversation;

  constructor(context: PipelineContext, conversation: Conversation) {
    this.#context = context;
    this.#conversation = conversation;
  }

  /** The decision about arguments or a structured result. */
  schemaDecision(
    call: Pick<ToolCall, "tool" | "requestId" | "contract" | "gap">,
    direction: Direction,
    judgement: Judgement,
    reason: string,
  ): ActivityEntry {
    const { check, verdict, schemaHash } = judgement;
    const { errors: issues, guard } = check;
    const marked = withGap(reason, call);
    return this.#decision(direction, verdict, { reason: marked, call, issues, guard, schemaHash });
  }

  /** The decision about a message as such. */
  protocolDecision(
    verdict: Verdict,
    issues: readonly Issue[],
    reason: string,
    call: Pick<ToolCall, "tool" | "requestId"> | undefined,
    guard?: GuardTrip,
  ): ActivityEntry {
    return this.#decision("protocol", verdict, { reason, call, issues, guard });
  }

  /**
   * The record of a whole call. Its direction, mode and outcome are those of the check that decided
   * about it, and absent where none objected.
   */
  toolCall(call: ToolCall, status: ActivityStatus, answer: CallAnswer): ActivityEntry {
    const { decision, outcome, direction, mode, reason } = call.verdict;
    const { client, session } = this.#conversation;
    // Each call has one: an object of one shape, made at once.
    return {
      type: "tool_call",
      source: "gateway",
      server: this.#context.server,
      client,
      session,
      tool: call.tool,
      request_id: call.requestId,
      decision,
      outcome,
      status,
      direction,
      mode,
      reason: withGap(answer.reason ?? reason, call),
      bytes_in: call.bytesIn,
      bytes_out: answer.bytes,
      duration_ms: Math.round((this.#context.now() - call.startedAt) * 1000) / 1000,
      arguments: call.arguments,
      result: answer.result,
    };
  }

  /** One tool whose declaration is not what it was. */
  schemaChange(change: ContractChange): ActivityEntry {
    const reason =
      change.kind === "added" || change.kind === "removed"
        ? `tool ${change.kind}`
        : `${change.kind} schema changed`;
    const hash = change.kind === "output" ? change.outputHash : change.inputHash;
    const { client, session } = this.#conversation;
    return {
      type: "schema_change",
      source: "gateway",
      server: this.#context.server,
      client,
      session,
      tool: change.tool,
      reason,
      schema_hash: hash,
    };
  }

  #decision(
    direction: Direction,
    { decision, mode, outcome }: Verdict,
    { reason, call, issues, guard, schemaHash }: Objection,
  ): ActivityEntry {
    const { client, session } = this.#conversation;
    // Made at once: a copy that gets members more takes many times as long.
    return {
      type: "policy_decision",
      source: "gateway",
      server: this.#context.server,
      client,
      session,
      tool: call?.tool,
      request_id: call?.requestId ?? this.#context.newRequestId(),
      direction,
      mode,
      decision,
      outcome,
      // A decision that is recorded is never "allowed", so that its status is a known one.
      status: decision === "blocked" ? "blocked" : "warning",
      reason,
      issues,
      guard,
      schema_hash: schemaHash,
    };
  }
}

/** A reason, marked if the call is checked against a tool list that may be outdated. */
function withGap(reason: string, call: Pick<ToolCall, "contract" | "gap">): string;
function withGap(
  reason: string | undefined,
  call: Pick<ToolCall, "contract" | "gap">,
): string | undefined;
function withGap(
  reason: string | undefined,
  { contract, gap }: Pick<ToolCall, "contract" | "gap">,
): string | undefined {
  if (contract === undefined || gap === undefined) return reason;
  const mark = `checked against the last known tool list: ${gap.reason}`;
  return reason === undefined ? mark : `${reason}; ${mark}`;
}

/** What a decision is about. */
interface Objection {
  readonly reason: string;
  readonly call: Pick<ToolCall, "tool" | "requestId"> | undefined;
  readonly issues: readonly Issue[];
  readonly guard?: GuardTrip | undefined;
  readonly schemaHash?: string | undefined;
}

/** A verdict that objects, as that of the call. */
export function objection(
  { decision, mode, outcome }: Verdict,
  direction: Direction,
  reason: string,
): CallVerdict {
  return { decision, outcome, direction, mode, reason };
}

/** How a call was answered. */
export interface CallAnswer {
  /** Size of the answer's frame. */
  readonly bytes?: number | undefined;
  /** The result as the server sent it, where records hold it. */
  readonly result?: Uint8Array | undefined;
  /** Why it ended so, where that is not the verdict's own reason. */
  readonly reason?: string | undefined;
}

/** How much an outcome tells of a call that nothing stopped. */
const TELLING: Partial<Record<Outcome, number>> = { skipped: 0, pass: 1 };

/** The heavier of two verdicts; of two equal ones the more telling, then the first. */
export function heavier(current: CallVerdict, next: CallVerdict): CallVerdict {
  if (isHeavier(next.decision, current.decision)) return next;
  const more = (TELLING[next.outcome] ?? 2) - (TELLING[current.outcome] ?? 2);
  const tellsMore = next.decision === current.decision && more > 0;
  return tellsMore ? { ...current, outcome: next.outcome } : current;
}
